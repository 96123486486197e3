import { resourceKey, toReference } from "../../src/crossplane/references.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf, withValues } from "../../src/model/document.ts";
import { valueAt } from "../../src/model/field-path.ts";
import { isList, isObject, type JsonObject } from "../../src/model/json.ts";
import { readBindings } from "../../src/records/record.ts";
import { inputOf } from "../builders/sharing.ts";
import { callUntilStable } from "./calls.ts";
import { desiredBy, Violation } from "./control-plane.ts";
import { type Kind, lookUpIn, metadataOf, nameOf, objectIn, SECRET } from "./store.ts";
import { DATABASE_KINDS, HOSTILE, POLICY } from "./tenancy-composition.ts";
import { copiesIn, DATABASES, type Database, databasesIn, fieldsIn, type Owner } from "./tenancy-owner.ts";
import { isDeleting, targetOf } from "./tenancy-provider.ts";
import { type Consumer, keyOf, type TenancyWorld } from "./tenancy-world.ts";

/** The Composition of the databases themselves. */
const INPUT = parseInput(inputOf({ consumers: { protect: true, list: { toCompositeFieldPath: "status.consumers" } } }));

/** Watches what honest teams have and may count on, and what the databases' own Compositions list and protect. */
export class Watch {
  readonly #world: TenancyWorld;
  readonly #owner: Owner;
  /** The teams that have a copy, fields or a policy of the database. */
  readonly #having = { copy: new Set<Consumer>(), fields: new Set<Consumer>(), policy: new Set<Consumer>() };

  constructor(world: TenancyWorld, owner: Owner) {
    this.#world = world;
    this.#owner = owner;
  }

  forget(consumer: Consumer): void {
    for (const having of Object.values(this.#having)) having.delete(consumer);
  }

  forgetCopy(consumer: Consumer): void {
    this.#having.copy.delete(consumer);
  }

  /** A copy that an honest team has stays, and what is in it comes from the same source; so do its fields and its policy. */
  look(honest: readonly Consumer[]): void {
    for (const consumer of honest) {
      const isThere = this.#owner.exists("orders");
      if (isThere && !this.#owner.grants("orders", consumer.team)) {
        this.forget(consumer);
        continue;
      }
      const copy = this.#world.store.get(SECRET, { namespace: consumer.team, name: "orders-db" });
      const isCopied = copy !== undefined && databasesIn(copy).includes("orders");
      this.#watch("copy", consumer, isCopied, isCopied && isThere && this.#isKept(consumer, copy));
      this.#watch("fields", consumer, fieldsIn(JSON.stringify(consumer.status)).includes("orders"));
      this.#watch("policy", consumer, policiesOf(this.#world, consumer).flatMap(reachedBy).includes("orders"));
    }
  }

  /** @param counts true if the team may count on what it has from now on. */
  #watch(what: "copy" | "fields" | "policy", consumer: Consumer, has: boolean, counts = has): void {
    if (counts) this.#having[what].add(consumer);
    if (has || !this.#having[what].has(consumer)) return;
    // A database that is gone may be replaced by another one with its labels, also by a team's own.
    const isReplaced = !this.#owner.exists("orders") && consumer.composition.select !== "name";
    if (!isReplaced) throw new Violation(`${consumer.team} has lost its ${what}`);
    this.forget(consumer);
  }

  /** Tells whether the XR made the copy and no resource composed for it is being deleted. */
  #isKept(consumer: Consumer, copy: JsonObject): boolean {
    const isOwn = this.#world.makerOf(copy) === consumer;
    const key = keyOf(nameOf(copy));
    const objects = this.#world.objects.filter((object) => keyOf(targetOf(object) ?? { name: "" }) === key);
    return isOwn && objects.every((object) => !isDeleting(object)) && consumer.references.length > 0;
  }

  /** Every database's XR is reconciled, and its list is compared with who uses it. */
  auditLists(): void {
    for (const kind of Object.values(DATABASE_KINDS)) for (const database of DATABASES) this.#audit(kind, database);
  }

  #audit(kind: Kind, database: Database): void {
    const xr = this.#owner.find(kind, database);
    if (xr === undefined) return;
    const { items, isProtected } = this.#reconcile(xr);
    for (const item of items) this.#assertTrue(item, xr, database);
    const granted = new Set(items.filter((item) => item["granted"] === true).map(({ namespace }) => namespace));
    const users = this.#usersOf(kind, database).filter(({ team }) => team !== HOSTILE);
    const unlisted = users.find(({ team }) => this.#owner.grants(database, team) && !granted.has(team));
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
    const lookUp = lookUpIn(this.#world.store.everything);
    const outcome = callUntilStable({ xr, input: INPUT, observed: {}, before: new Map(), lookUp });
    if (outcome.is === "frozen") throw new Violation(`${key} is frozen: ${outcome.because}`);
    const { draft } = outcome;
    const items = valueAt(withValues({}, draft.composite), ["status", "consumers", "items"]);
    return { items: isList(items) ? items.filter(isObject) : [], isProtected: desiredBy(draft).size > 0 };
  }

  #consumersOf = (kind: Kind): readonly Consumer[] =>
    this.#world.consumers.filter(({ spec, composition }) => spec && DATABASE_KINDS[composition.databases] === kind);

  /** Those who have something of the database. */
  #usersOf(kind: Kind, database: Database): readonly Consumer[] {
    const copies = copiesIn(this.#world).filter((copy) => databasesIn(copy).includes(database));
    const makers = copies.map((copy) => this.#world.makerOf(copy));
    const hasFields = ({ status }: Consumer): boolean => fieldsIn(JSON.stringify(status)).includes(database);
    return this.#consumersOf(kind).filter((consumer) => makers.includes(consumer) || hasFields(consumer));
  }

  #isRecorded(xr: JsonObject, namespace: string): boolean {
    const key = resourceKey(toReference(documentOf(xr)));
    const consumer = this.#world.consumers.find(({ team }) => team === namespace);
    const record = consumer && this.#world.recordOf(consumer);
    const bindings = record === undefined ? [] : [...readBindings(documentOf(record)).values()].flat();
    return bindings.some(({ resource }) => resourceKey(resource) === key);
  }
}

/** @param forger the team that has edited its record: what is in its status may be of a database that is not there, as the record says. */
export function assertGranted(world: TenancyWorld, owner: Owner, forger: Consumer | undefined): void {
  for (const copy of copiesIn(world)) assertCopyGranted(copy, world, owner);
  for (const consumer of world.consumers) assertFieldsGranted(consumer, owner, consumer === forger);
  for (const consumer of world.consumers) assertReachGranted(consumer, world, owner);
}

/** The policies that an XR has, whether it refers to them or not. */
const policiesOf = ({ store }: TenancyWorld, { team }: Consumer): readonly JsonObject[] =>
  store
    .all(POLICY)
    .filter((policy) => objectIn(metadataOf(policy), "labels")["crossplane.io/composite"] === `shop-${team}`);

/** The databases that a policy reaches: by their endpoint, or by their name. */
function reachedBy(policy: JsonObject): readonly Database[] {
  const reaches = String(objectIn(policy, "spec")["reaches"]);
  return DATABASES.filter((database) => reaches === database || fieldsIn(reaches).includes(database));
}

function assertReachGranted(consumer: Consumer, world: TenancyWorld, owner: Owner): void {
  const { team } = consumer;
  const reached = policiesOf(world, consumer).flatMap(reachedBy);
  const found = reached.find((database) => owner.exists(database) && !owner.grants(database, team));
  if (found !== undefined) throw new Violation(`a policy of ${team} reaches ${found}, which is not granted to it`);
}

/** The namespace whose access counts: that of the copy, or of the one who asks for it. */
const askingNamespace = (copy: JsonObject, { team, composition }: Consumer): string =>
  composition.grant === "ReferenceGrant" ? team : String(metadataOf(copy)["namespace"]);

function assertCopyGranted(copy: JsonObject, world: TenancyWorld, owner: Owner): void {
  const maker = world.makerOf(copy);
  if (maker === "hand") return;
  world.assertAccepted(nameOf(copy), maker);
  const team = askingNamespace(copy, maker);
  for (const found of databasesIn(copy)) {
    if (!owner.exists(found) || owner.grants(found, team)) continue;
    throw new Violation(`${keyOf(nameOf(copy))} holds bytes of ${found}, which is not granted to ${team}`);
  }
}

function assertFieldsGranted(consumer: Consumer, owner: Owner, isForger: boolean): void {
  const { team, status, context, conditions } = consumer;
  const [told] = fieldsIn(context).filter((database) => !owner.grants(database, team));
  if (told !== undefined) throw new Violation(`the context of ${team} has ${told}, which is not granted to it`);
  const existing = fieldsIn(JSON.stringify(status)).filter((database) => owner.exists(database));
  const shown = existing.find((database) => !owner.grants(database, team));
  const isRefused = conditions.some(({ reason }) => reason === "AccessNotGranted");
  if (shown !== undefined && (!isForger || isRefused))
    throw new Violation(`the status of ${team} has fields of ${shown}, which is not granted to it`);
}
