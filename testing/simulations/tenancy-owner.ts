import type { JsonObject } from "../../src/model/json.ts";
import { ALLOWED } from "../builders/sharing.ts";
import { type Kind, metadataOf, objectIn, SECRET } from "./store.ts";
import { DATABASE_KINDS, OWNERS_NAMESPACE } from "./tenancy-composition.ts";
import type { TenancyWorld } from "./tenancy-world.ts";

/** The databases that are shared; each belongs to a team of its own. */
export const DATABASES = ["orders", "billing"] as const;
export type Database = (typeof DATABASES)[number];

const REFERENCE_GRANT: Kind = { apiVersion: "gateway.networking.k8s.io/v1beta1", kind: "ReferenceGrant" };

/** Who owns the databases: grants access to their Secrets by annotation and by ReferenceGrant alike, and takes it back. */
export class Owner {
  readonly #world: TenancyWorld;
  readonly #granted = new Map<Database, readonly string[]>();
  readonly #labels = new Map<Database, string>();
  #rotation = 0;

  constructor(world: TenancyWorld) {
    this.#world = world;
  }

  create(database: Database): void {
    for (const kind of KINDS) {
      const spec = { writeConnectionSecretToRef: secretOf(database), order: 1 };
      const status = { endpoint: toField(database), environment: { [database]: toField(database) } };
      this.#world.store.put({ ...kind, metadata: nameIn(kind, database), spec, status });
    }
    this.#annotate(database);
    this.rotate(database);
  }

  /** Another label: the database may now be found by the one of another database. */
  label(database: Database, team: string): void {
    this.#labels.set(database, team);
    this.#annotate(database);
  }

  /** The database goes, and its Secret with it; what was granted by annotation is not granted to a new one. */
  delete(database: Database): void {
    for (const kind of KINDS) this.#world.store.delete(kind, nameIn(kind, database));
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
    this.#annotate(database);
    const metadata = { name: `grant-${database}`, namespace: OWNERS_NAMESPACE };
    const from = teams.flatMap((namespace) =>
      ["Shop", "Store", "XShop"].map((kind) => ({ group: "apps.example.org", kind, namespace })),
    );
    const to = [{ group: "", kind: "Secret", name: secretOf(database).name }];
    if (teams.length === 0) this.#world.store.delete(REFERENCE_GRANT, metadata);
    else this.#world.store.put({ ...REFERENCE_GRANT, metadata, spec: { from, to } });
  }

  grants(database: Database, team: string): boolean {
    return this.#granted.get(database)?.includes(team) === true;
  }

  exists(database: Database): boolean {
    return this.find(DATABASE_KINDS.namespaced, database) !== undefined;
  }

  find(kind: Kind, database: Database): JsonObject | undefined {
    return this.#world.store.get(kind, nameIn(kind, database));
  }

  #annotate(database: Database): void {
    for (const kind of KINDS) {
      const found = this.find(kind, database);
      if (found === undefined) return;
      const annotations = { [ALLOWED]: (this.#granted.get(database) ?? []).join(", ") };
      const labels = { team: this.#labels.get(database) ?? database };
      this.#world.store.put({ ...found, metadata: { ...metadataOf(found), annotations, labels } });
    }
  }
}

const KINDS = Object.values(DATABASE_KINDS);

const nameIn = (kind: Kind, name: string): { readonly name: string; readonly namespace?: string } =>
  kind === DATABASE_KINDS.namespaced ? { namespace: OWNERS_NAMESPACE, name } : { name };

const toField = (database: Database): string => `owner:${database}:endpoint`;

const secretOf = (database: string) => ({ namespace: OWNERS_NAMESPACE, name: `${database}-conn` });

const toBytes = (text: string): string => Buffer.from(`owner:${text}`).toString("base64");

/** Whose bytes a Secret holds. */
export function databasesIn(secret: JsonObject): readonly Database[] {
  const texts = Object.values(objectIn(secret, "data")).map((value) => Buffer.from(String(value), "base64").toString());
  return DATABASES.filter((database) => texts.some((text) => text.startsWith(`owner:${database}:`)));
}

/** Whose fields are in a text. */
export const fieldsIn = (text: string): readonly Database[] =>
  DATABASES.filter((database) => text.includes(toField(database)));

/** Secrets that an owner's bytes are in, outside the owner's namespace. */
export const copiesIn = ({ store }: TenancyWorld): readonly JsonObject[] =>
  store
    .all(SECRET)
    .filter((secret) => metadataOf(secret)["namespace"] !== OWNERS_NAMESPACE && databasesIn(secret).length > 0);
