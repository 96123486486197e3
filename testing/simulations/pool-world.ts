import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { RECORD_NAME, readBindings } from "../../src/ownership/record.ts";
import { ALLOWED, inputOf } from "../builders/sharing.ts";
import { lookUpIn } from "./look-up.ts";
import { callUntilStable, type Requirements } from "./tenancy-call.ts";

/** An XR, its conditions, and what it has composed, by name in the Composition. */
interface Xr {
  readonly kind: "XDatabase" | "Shop";
  readonly name: string;
  readonly namespace?: string;
  uid: string;
  conditions: readonly JsonObject[];
  composed: Map<string, JsonObject>;
  before: Requirements;
}

interface Database extends Xr {
  capacity: number;
  /** The most consumers that it may have: more than the capacity where that was reduced after it had admitted them. */
  most: number;
}

interface Shop extends Xr {
  readonly namespace: string;
  prefer: "First" | "LeastUsed";
  /** The database that serves it. */
  served: string | undefined;
  /** Who says that a database serves it does not move on, where that one is full. */
  hasForged: boolean;
}

const NOTHING: Requirements = new Map();
const NAMESPACES = ["team-0", "team-1", "team-2"];

/** A control plane with a pool of databases and XRs that use one of them. */
export class PoolWorld {
  readonly faults: string[] = [];
  readonly #databases = new Map<number, Database>();
  readonly #shops = new Map<number, Shop>();
  /** The objects as they were after each reconcile: a cache may be behind. */
  readonly #past: (readonly JsonObject[])[] = [];
  #time = 0;

  createDatabase(id: number, capacity: number): void {
    const made = { ...this.#toXr("XDatabase", `db-${id}`), capacity, most: capacity };
    if (!this.#databases.has(id)) this.#databases.set(id, made);
  }

  /** Deletes a database, unless a Usage protects it. */
  deleteDatabase(id: number): void {
    const composed = this.#databases.get(id)?.composed ?? new Map();
    if (![...composed.keys()].some((key) => key.startsWith("consumers/usage/"))) this.#databases.delete(id);
  }

  edit(id: number, capacity: number): void {
    const database = this.#databases.get(id);
    if (database !== undefined)
      Object.assign(database, { capacity, most: Math.max(capacity, this.#promisedBy(database)) });
  }

  createShop(id: number, prefer: Shop["prefer"]): void {
    const namespace = NAMESPACES[id % NAMESPACES.length] ?? "";
    const made = { ...this.#toXr("Shop", `shop-${id}`), namespace, prefer, served: undefined, hasForged: false };
    if (!this.#shops.has(id)) this.#shops.set(id, made);
  }

  deleteShop(id: number): void {
    this.#shops.delete(id);
  }

  /** A team writes into its record that it is served. */
  forge(id: number): void {
    const shop = this.#shops.get(id);
    const record = shop?.composed.get(RECORD_NAME);
    const { db } = (record?.["data"] ?? {}) as { readonly db?: string };
    if (shop === undefined || record === undefined || db === undefined) return;
    shop.composed.set(RECORD_NAME, { ...record, data: { db: db.replace("Requested", "Granted") } });
    shop.hasForged = true;
  }

  /** Restores a backup that was made just now: status, uids and controllers are gone, as with Velero. */
  restore(): void {
    for (const xr of this.#all) {
      Object.assign(xr, { uid: this.#toUid(), conditions: [], before: NOTHING });
      xr.composed = new Map(
        [...xr.composed].map(([key, object]) => [key, withMetadata(object, { ownerReferences: [] })]),
      );
    }
    this.#past.length = 0;
  }

  /** @param age how many changes the cache is behind. @param isCut the reconcile ends before the status is written. */
  reconcileDatabase(id: number, age: number, isCut = false): void {
    const database = this.#databases.get(id);
    if (database === undefined) return;
    const { capacity } = database;
    this.#reconcile(database, { consumers: { capacity } }, age, isCut);
  }

  reconcileShop(id: number, age: number): void {
    const shop = this.#shops.get(id);
    if (shop === undefined) return;
    const share = {
      name: "db",
      apiVersion: "data.example.org/v1",
      kind: "XDatabase",
      select: { matchLabels: { pool: "db" }, prefer: shop.prefer },
      patches: [{ fromFieldPath: "metadata.name", toCompositeFieldPath: "status.db" }],
    };
    const draft = this.#reconcile(shop, { sharedResources: [share] }, age, false);
    const record = shop.composed.get(RECORD_NAME);
    const bindings = readBindings(record && documentOf(record)).get("db") ?? [];
    const delivered = draft?.composite.find(({ path }) => path.join(".") === "status.db")?.value;
    const isHeld = bindings.some(({ resource, access }) => resource.name === shop.served && access === "Granted");
    const served = typeof delivered === "string" ? delivered : isHeld ? shop.served : undefined;
    this.#notice(shop, served);
    shop.served = served;
    for (const database of this.#databases.values()) {
      const count = this.#servedBy(database);
      if (count > database.most) this.faults.push(`${database.name} serves ${count}, more than ${database.most}`);
      database.most = Math.max(database.capacity, Math.min(database.most, this.#promisedBy(database)));
    }
  }

  /** Reconciles all until nothing changes. @returns the number of rounds. */
  settle(): number {
    for (let round = 1; round < 20; round++) {
      const before = this.#print;
      for (const id of this.#databases.keys()) this.reconcileDatabase(id, 0);
      for (const id of this.#shops.keys()) this.reconcileShop(id, 0);
      if (this.#print === before) return round;
    }
    this.faults.push("does not settle");
    return 20;
  }

  /** The XRs that are served by none while there is room, and have not forged their records. */
  get starving(): readonly string[] {
    const hasRoom = [...this.#databases.values()].some((database) => this.#servedBy(database) < database.capacity);
    return hasRoom
      ? [...this.#shops.values()]
          .filter(({ served, hasForged }) => served === undefined && !hasForged)
          .map(({ name }) => name)
      : [];
  }

  #notice({ name, served: before }: Shop, now: string | undefined): void {
    const isThere = [...this.#databases.values()].some((database) => database.name === before);
    if (isThere && before !== undefined && now !== before) this.faults.push(`${name} moves from ${before} to ${now}`);
  }

  #servedBy = ({ name }: Database): number => [...this.#shops.values()].filter(({ served }) => served === name).length;

  /** Counts the XRs that it serves, or has admitted. */
  #promisedBy(database: Database): number {
    const answers = [...database.composed.keys()].filter((key) => key.startsWith("consumers/admission/"));
    return Math.max(this.#servedBy(database), answers.length);
  }

  get #all(): readonly Xr[] {
    return [...this.#databases.values(), ...this.#shops.values()];
  }

  get #objects(): readonly JsonObject[] {
    return this.#all.flatMap((xr) => [toObject(xr), ...xr.composed.values()]);
  }

  get #print(): string {
    return JSON.stringify([this.#objects, [...this.#shops.values()].map(({ served }) => served)]);
  }

  #toUid = (): string => `uid-${++this.#time}`;

  #toXr = (kind: Xr["kind"], name: string): Xr => ({
    kind,
    name,
    uid: this.#toUid(),
    conditions: [],
    composed: new Map(),
    before: NOTHING,
  });

  #reconcile(xr: Xr, spec: JsonObject, age: number, isCut: boolean): Draft | undefined {
    this.#past.push(this.#objects);
    const seen = this.#past.at(-1 - age) ?? this.#past[0] ?? [];
    const observed = Object.fromEntries(xr.composed);
    const parts = { xr: toObject(xr), input: parseInput(inputOf(spec)), observed, before: xr.before };
    const outcome = callUntilStable({ ...parts, lookUp: lookUpIn(seen) });
    if (outcome.is === "frozen") {
      this.faults.push(`${xr.name}: ${outcome.because}`);
      return undefined;
    }
    const { draft } = outcome;
    xr.before = draft.requirements;
    xr.composed = new Map(
      [...draft.resources].flatMap(([key, edit]) =>
        edit.is === "set" && edit.object ? [[key, this.#apply(xr, key, edit.object)] as const] : [],
      ),
    );
    if (!isCut) xr.conditions = draft.conditions.map(({ type, status, reason }) => ({ type, status, reason }));
    return draft;
  }

  #apply({ kind, name, namespace, uid, composed }: Xr, key: string, object: JsonObject): JsonObject {
    const there = metadataOf(composed.get(key));
    return withMetadata(object, {
      ...metadataOf(object),
      name: there["name"] ?? `${name}-${key.replaceAll("/", "-")}`,
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: there["creationTimestamp"] ?? String(++this.#time).padStart(9, "0"),
      labels: { ...(metadataOf(object)["labels"] as JsonObject), "crossplane.io/composite": name },
      ownerReferences: [{ ...toType(kind), name, uid, controller: true }],
    });
  }
}

const toType = (kind: Xr["kind"]) => ({ apiVersion: `${kind === "Shop" ? "apps" : "data"}.example.org/v1`, kind });

const metadataOf = (object: JsonObject | undefined): JsonObject =>
  isObject(object?.["metadata"]) ? object["metadata"] : {};

const withMetadata = (object: JsonObject, more: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...metadataOf(object), ...more },
});

const toObject = (xr: Xr): JsonObject => ({
  ...toType(xr.kind),
  metadata: {
    name: xr.name,
    ...(xr.namespace !== undefined && { namespace: xr.namespace }),
    uid: xr.uid,
    labels: { pool: "db" },
    annotations: { [ALLOWED]: "*" },
  },
  spec: { crossplane: {} },
  status: { conditions: xr.conditions },
});
