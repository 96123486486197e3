import type { JsonObject } from "../../src/model/json.ts";
import { ALLOWED } from "../builders/sharing.ts";
import { DATABASE, OWNERS_NAMESPACE } from "./tenancy-composition.ts";
import { type Kind, metadataOf, objectIn, SECRET } from "./tenancy-store.ts";
import type { Consumer, TenancyWorld } from "./tenancy-world.ts";

/** The databases that are shared; each belongs to a team of its own. */
export const DATABASES = ["orders", "billing"] as const;
export type Database = (typeof DATABASES)[number];

const REFERENCE_GRANT: Kind = { apiVersion: "gateway.networking.k8s.io/v1beta1", kind: "ReferenceGrant" };

/** Who owns the databases: grants access to their Secrets by annotation and by ReferenceGrant alike, and takes it back. */
export class Owner {
  readonly #world: TenancyWorld;
  readonly #granted = new Map<Database, readonly string[]>();
  #rotation = 0;

  constructor(world: TenancyWorld) {
    this.#world = world;
  }

  create(database: Database): void {
    const spec = { writeConnectionSecretToRef: { name: secretOf(database).name }, order: 1 };
    const metadata = { name: database, namespace: OWNERS_NAMESPACE, labels: { team: database } };
    this.#world.store.put({ ...DATABASE, metadata, spec });
    this.#annotate(database);
    this.rotate(database);
  }

  /** The database goes, and its Secret with it; what was granted by annotation is not granted to a new one. */
  delete(database: Database): void {
    this.#world.store.delete(DATABASE, { namespace: OWNERS_NAMESPACE, name: database });
    this.deleteSecret(database);
    this.grant(database, []);
  }

  deleteSecret(database: Database): void {
    this.#world.deleteByHand(secretOf(database));
  }

  rotate(database: Database): void {
    if (!this.exists(database)) return;
    this.#rotation += 1;
    this.#world.writeByHand(secretOf(database), { password: toBytes(`${database}:${this.#rotation}`) });
  }

  grant(database: Database, teams: readonly string[]): void {
    this.#granted.set(database, teams);
    if (this.exists(database)) this.#annotate(database);
    const metadata = { name: `grant-${database}`, namespace: OWNERS_NAMESPACE };
    const from = teams.flatMap((namespace) =>
      ["Shop", "Store"].map((kind) => ({ group: "apps.example.org", kind, namespace })),
    );
    const to = [{ group: "", kind: "Secret", name: secretOf(database).name }];
    if (teams.length === 0) this.#world.store.delete(REFERENCE_GRANT, metadata);
    else this.#world.store.put({ ...REFERENCE_GRANT, metadata, spec: { from, to } });
  }

  grants(database: Database, team: string): boolean {
    return this.#granted.get(database)?.includes(team) === true;
  }

  exists(database: Database): boolean {
    return this.#world.store.get(DATABASE, { namespace: OWNERS_NAMESPACE, name: database }) !== undefined;
  }

  #annotate(database: Database): void {
    const found = this.#world.store.get(DATABASE, { namespace: OWNERS_NAMESPACE, name: database });
    if (found === undefined) return;
    const annotations = { [ALLOWED]: (this.#granted.get(database) ?? []).join(", ") };
    this.#world.store.put({ ...found, metadata: { ...metadataOf(found), annotations } });
  }
}

const secretOf = (database: string) => ({ namespace: OWNERS_NAMESPACE, name: `${database}-conn` });

const toBytes = (text: string): string => Buffer.from(`owner:${text}`).toString("base64");

/** Whose bytes a Secret holds. */
export function databasesIn(secret: JsonObject): readonly Database[] {
  const texts = Object.values(objectIn(secret, "data")).map((value) => Buffer.from(String(value), "base64").toString());
  return DATABASES.filter((database) => texts.some((text) => text.startsWith(`owner:${database}:`)));
}

/** Secrets that an owner's bytes are in, outside the owner's namespace. */
export const copiesIn = ({ store }: TenancyWorld): readonly JsonObject[] =>
  store
    .all(SECRET)
    .filter((secret) => metadataOf(secret)["namespace"] !== OWNERS_NAMESPACE && databasesIn(secret).length > 0);

/** The namespace whose access counts: that of the copy, or of the one who asks for it. */
export const askingNamespace = (copy: JsonObject, { team, composition }: Consumer): string =>
  composition.grant === "ReferenceGrant" ? team : String(metadataOf(copy)["namespace"]);
