import fc from "fast-check";
import { Cluster, type Collector, withDependencies } from "./cluster.ts";
import type { Flavour } from "./cluster-objects.ts";
import { type Cut, Violation } from "./control-plane.ts";
import { anyMove, type Made, type Moves, makeMove, type PartsOf, settle as settleTurns } from "./moves.ts";

/**
 * A property of adoption: in whatever order resources are restored, and whatever fails in between, no resource is deleted that
 * the XR does not control, none is orphaned, and none is created twice.
 */

const NAMES = ["a", "b", "c", "d"];
const FOREIGN = "foreign";

const index = fc.nat({ max: NAMES.length - 1 });
const someNames = fc.subarray([...NAMES, "e"]);

const PARTS = {
  index,
  controller: fc.constantFrom(undefined, "uid-before"),
  known: fc.subarray(NAMES),
  desired: someNames,
  cut: fc.constantFrom<Cut>("none", "none", "none", "stepFails", "beforeReferences", "beforeApply", "afterOne"),
  /** The index of the resource that is restored while Crossplane reconciles. */
  arrival: fc.option(index, { nil: undefined }),
};

const MOVES: Moves<Cluster, PartsOf<typeof PARTS>> = {
  reconcile: [42, (cluster, { cut, arrival }) => cluster.reconcile(cut, () => cluster.restoreResource(arrival))],
  restoreResource: [35, (cluster, { index, controller }) => cluster.restoreResource(index, controller)],
  staleIsMended: [7, (cluster, { index }) => cluster.removeStaleController(cluster.backedUp[index] ?? "")],
  restoreRecord: [7, (cluster, { known }) => cluster.restoreRecord(known)],
  forgeRecord: [7, (cluster, { known }) => cluster.forgeRecord(known)],
  compositionChanges: [7, (cluster, { desired }) => Object.assign(cluster, { desired: desiredIn(cluster, desired) })],
  providerLooks: [20, (cluster, { index }) => cluster.look(NAMES[index])],
  restoreComposite: [4, (cluster) => cluster.restoreComposite()],
  makeComposite: [4, (cluster) => cluster.makeComposite()],
  restoreOver: [4, (cluster) => cluster.restoreOver()],

  compositeIsAdopted: [4, (cluster) => Object.assign(cluster, { isAdopted: true })],
  foreignIsAdded: [8, (cluster) => cluster.addForeign(FOREIGN)],
};

/** What a Composition desires: conditional resources together with those on which they depend. */
const desiredIn = ({ isConditional }: { readonly isConditional: boolean }, names: readonly string[]) =>
  new Set(isConditional ? withDependencies(names) : names);

const history = fc.record({
  collector: fc.constantFrom<Collector>("deletes", "forgets"),
  flavour: fc.constantFrom<Flavour>("legacy", "claimed", "nested", "modern", "namespaced"),
  composed: fc.subarray(NAMES, { minLength: 1 }),
  desired: someNames,
  finallyDesired: someNames,
  lost: fc.oneof(fc.constant<string[]>([]), fc.subarray(NAMES)),
  /** What the record knows, which may be old. */
  recorded: fc.subarray(NAMES),
  /** True if the record is there before all else. */
  isRecordFirst: fc.boolean(),
  isRequired: fc.boolean(),
  conditions: fc.constantFrom("none" as const, "observed" as const, "byStatus" as const),
  lacksFields: fc.boolean(),
  moves: fc.array(anyMove(MOVES, PARTS), { maxLength: 14 }),
});
type History = Made<typeof history>;

/** The largest number of reconciles until nothing changes any more; two are enough where nothing fails or depends on another. */
const TO_SETTLE = 12;

function play(made: History, isGuarded: boolean): void {
  const isConditional = made.conditions !== "none";
  const whole = (names: readonly string[]) => [...desiredIn({ isConditional }, names)];
  const past = { ...made, desired: whole(made.desired), finallyDesired: whole(made.finallyDesired) };
  const cluster = new Cluster({ ...past, isGuarded });
  if (past.isRecordFirst) cluster.restoreRecord(past.recorded);
  for (const each of past.moves) makeMove(MOVES, cluster, each);

  // At last everything is restored and works.
  cluster.restoreRecord(past.recorded);
  cluster.restoreComposite();

  cluster.isAdopted = past.flavour === "nested";
  for (let each = 0; each < NAMES.length; each++) cluster.restoreResource(each);
  for (const name of cluster.backedUp) cluster.removeStaleController(name);
  cluster.removeReference(FOREIGN);
  cluster.removeLostReferences();
  cluster.desired = new Set([...past.finallyDesired, "e"]);
  reconcileOften(cluster);
  cluster.chooseOnes();
  reconcileOften(cluster);
  if (isGuarded) assertNoSecond(cluster, past);
  cluster.mendRecord();
  cluster.isRequired = false;
  cluster.desired = new Set(past.finallyDesired);
  settle(cluster, past);

  cluster.isConditional = false;
  // From now on the XR no longer waits for a resource that is missing.
  const [first] = cluster.references;
  if (first !== undefined) cluster.deleteByHand(first);
  cluster.exportRecord();
  const before = new Map(cluster.cloud);
  settle(cluster, past);
  if (isGuarded) assertSame(cluster, before, past);
}

/** Asserts that what was lost was not created once more. What a forged record hid until now is adopted, and deleted if no step desires it. */
function assertSame({ cloud }: Cluster, before: ReadonlyMap<string, string>, past: History): void {
  const isLate = (name: string, as: string): boolean =>
    !cloud.has(name) && isForged(past) && !past.finallyDesired.includes(as);
  const kept = [...before].filter(([name, as]) => !isLate(name, as)).map(([name]) => name);
  if ([...cloud.keys()].join() !== kept.join()) throw new Violation("what was lost was created once more");
}

/** An XR whose own team forged its record may not look for what is restored later and is desired no longer: that stays as it is. */
const isForged = ({ moves }: History): boolean => moves.some((each) => each.is === "forgeRecord");

function reconcileOften(cluster: Cluster): void {
  const turn = (): void => {
    cluster.reconcile();
    cluster.look();
  };
  settleTurns(() => cluster.print(), turn, TO_SETTLE);
}

/** Asserts that nothing was created twice in the cloud that the restore brought back, or that was held back for its record. */
function assertNoSecond(cluster: Cluster, { lost, recorded, isRecordFirst, isRequired }: History): void {
  for (const name of NAMES) {
    const isKnown = isRequired || !lost.includes(name) || (isRecordFirst && recorded.includes(name));
    const all = [...cluster.cloud].filter(([, composedAs]) => composedAs === name);
    if (isKnown && all.length > 1) throw new Violation(`the cloud has ${all.length} of ${name}`);
  }
}

/**
 * Reconciles until nothing changes any more. Asserts that the XR controls and refers to one resource for each desired name, and
 * that only a foreign one is left besides.
 */
function settle(cluster: Cluster, past: History): void {
  const { finallyDesired, moves, lacksFields, recorded } = past;
  reconcileOften(cluster);
  // Without managed fields an XR without its references knows by its record alone what no step desires (docs/restore.md).
  const isAnew = lacksFields && moves.some((each) => ["makeComposite", "restoreOver"].includes(each.is));
  const isUnknown = (composedAs: string): boolean => isForged(past) || (isAnew && !recorded.includes(composedAs));
  const isLeft = (name: string): boolean => !cluster.isControlled(name) && !cluster.references.includes(name);
  const all = [...cluster.resources].filter(([name]) => name !== FOREIGN);
  const own = all.filter(([name, { composedAs }]) => !(isUnknown(composedAs) && isLeft(name)));
  const composed = own.map(([, { composedAs }]) => composedAs).sort();
  if (composed.join() !== [...finallyDesired].sort().join())
    throw new Violation(`there is ${composed.join() || "none"}`);
  for (const [name] of own) {
    if (!cluster.references.includes(name)) throw new Violation(`${name} is orphaned`);
    if (!cluster.isControlled(name)) throw new Violation(`${name} is not controlled`);
  }
  if (cluster.resources.get(FOREIGN)?.controller !== undefined) throw new Violation("a foreign resource was adopted");
}

/** @param isGuarded true if the pipeline contains adoption. */
export const nothingIsLost = (isGuarded = true) => fc.property(history, (past) => play(past, isGuarded));
