import { resourceKey, toReference } from "../../src/crossplane/references.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf, withValues } from "../../src/model/document.ts";
import { valueAt } from "../../src/model/field-path.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { isList, isObject } from "../../src/model/json.ts";
import { readBindings } from "../../src/ownership/record.ts";
import { inputOf } from "../builders/sharing.ts";
import { callUntilStable, type Requirements } from "./calls.ts";
import { desiredBy, Violation } from "./control-plane.ts";
import type { Kind } from "./store.ts";
import { DATABASE_KINDS, HOSTILE } from "./tenancy-composition.ts";
import { copiesIn, DATABASES, type Database, databasesIn, fieldsIn, type Owner } from "./tenancy-owner.ts";
import type { Consumer, TenancyWorld } from "./tenancy-world.ts";

/** The owner's side: what the databases' own Compositions list and protect. */

const INPUT = parseInput(inputOf({ consumers: { protect: true, list: { toCompositeFieldPath: "status.consumers" } } }));

export class OwnersList {
  readonly #world: TenancyWorld;
  readonly #owner: Owner;
  /** What a database's XR has composed and required, by its key. */
  readonly #composed = new Map<
    string,
    { readonly observed: Readonly<Record<string, JsonObject>>; readonly required: Requirements }
  >();

  constructor(world: TenancyWorld, owner: Owner) {
    this.#world = world;
    this.#owner = owner;
  }

  /** Every database's XR is reconciled, and its list is compared with who uses it. */
  audit(): void {
    for (const kind of Object.values(DATABASE_KINDS)) for (const database of DATABASES) this.#audit(kind, database);
  }

  #audit(kind: Kind, database: Database): void {
    const xr = this.#owner.find(kind, database);
    if (xr === undefined) return;
    const { items, isProtected } = this.#reconcile(xr);
    for (const item of items) this.#assertTrue(item, xr, database);
    const granted = new Set(items.filter((item) => item["granted"] === true).map(({ namespace }) => namespace));
    const unlisted = this.#usersOf(kind, database).find(
      ({ team }) => team !== HOSTILE && this.#owner.grants(database, team) && !granted.has(team),
    );
    if (unlisted !== undefined) throw new Violation(`${database} does not list ${unlisted.team}, which uses it`);
    if (isProtected !== granted.size > 0) throw new Violation(`${database} is protected: ${isProtected}`);
  }

  /** A record that the hostile team forged may name copies elsewhere, and then needs more grants than its own. */
  #assertTrue({ namespace, granted }: JsonObject, xr: JsonObject, database: Database): void {
    const team = String(namespace);
    const isGranted = this.#owner.grants(database, team);
    if (team === HOSTILE ? granted === true && !isGranted : granted !== isGranted)
      throw new Violation(`${database} lists ${team} with granted: ${String(granted)}`);
    if (team !== HOSTILE && !this.#isRecorded(xr, team))
      throw new Violation(`${database} lists ${team}, which does not ask for it`);
  }

  #reconcile(xr: JsonObject) {
    const key = resourceKey(toReference(documentOf(xr)));
    const { observed = {}, required = new Map() } = this.#composed.get(key) ?? {};
    const lookUp = this.#world.store.lookUp.bind(this.#world.store);
    const outcome = callUntilStable({ xr, input: INPUT, observed, before: required, lookUp });
    if (outcome.is === "frozen") throw new Violation(`${key} is frozen: ${outcome.because}`);
    const { draft } = outcome;
    const composed = desiredBy(draft);
    this.#composed.set(key, { observed: Object.fromEntries(composed), required: draft.requirements });
    const items = valueAt(withValues({}, draft.composite), ["status", "consumers", "items"]);
    return { items: isList(items) ? items.filter(isObject) : [], isProtected: composed.size > 0 };
  }

  #consumersOf = (kind: Kind): readonly Consumer[] =>
    this.#world.consumers.filter(({ spec, composition }) => spec && DATABASE_KINDS[composition.databases] === kind);

  /** Those who have something of the database. */
  #usersOf(kind: Kind, database: Database): readonly Consumer[] {
    const copies = copiesIn(this.#world).filter((copy) => databasesIn(copy).includes(database));
    const makers = copies.map((copy) => this.#world.makerOf(copy));
    return this.#consumersOf(kind).filter(
      (consumer) => makers.includes(consumer) || fieldsIn(JSON.stringify(consumer.status)).includes(database),
    );
  }

  #isRecorded(xr: JsonObject, namespace: string): boolean {
    const key = resourceKey(toReference(documentOf(xr)));
    const consumer = this.#world.consumers.find(({ team }) => team === namespace);
    const record = consumer && this.#world.recordOf(consumer);
    const bindings = record === undefined ? [] : [...readBindings(documentOf(record)).values()].flat();
    return bindings.some(({ resource }) => resourceKey(resource) === key);
  }
}
