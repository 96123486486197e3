import fc from "fast-check";
import { Cluster, type Collector, type Cut, Violation } from "./cluster.ts";
import type { Flavour } from "./cluster-objects.ts";
import { is } from "./kind.ts";

/**
 * A property of adoption: in whatever order resources are restored, and whatever fails in between, no resource is deleted that
 * the XR does not control, none is orphaned, and none is created twice.
 */

/** The ways in which the XR comes back. */
const RESTORES = ["restoreComposite", "makeComposite", "restoreOver"] as const;
type Restore = (typeof RESTORES)[number];

type Event =
  | {
      readonly is:
        | "restoreComposite"
        | "makeComposite"
        | "restoreOver"
        | "providerComes"
        | "providerGoes"
        | "compositeIsAdopted"
        | "foreignIsAdded";
    }
  | { readonly is: "restoreResource"; readonly index: number; readonly controller: string | undefined }
  | { readonly is: "staleIsMended"; readonly index: number }
  | { readonly is: "restoreRecord" | "forgeRecord"; readonly known: readonly string[] }
  | { readonly is: "compositionChanges"; readonly desired: readonly string[] }
  | { readonly is: "reconcile"; readonly cut: Cut; readonly arrival: number | undefined };

interface History {
  readonly collector: Collector;
  readonly flavour: Flavour;
  readonly composed: readonly string[];
  readonly desired: readonly string[];
  readonly finallyDesired: readonly string[];
  /** What no restore brings back: the backup was partial, or the cluster was built from Git. */
  readonly lost: readonly string[];
  /** What the record knows, which may be old. */
  readonly recorded: readonly string[];
  /** True if the record is there before all else. */
  readonly isRecordFirst: boolean;
  /** True while only what has a record is created. */
  readonly isRequired: boolean;
  readonly events: readonly Event[];
}

const NAMES = ["a", "b", "c", "d"];
const FOREIGN = "foreign";

const index = fc.nat({ max: NAMES.length - 1 });
const cut = fc.constantFrom<Cut>("none", "none", "none", "stepFails", "beforeReferences", "beforeApply", "afterOne");
const controller = fc.constantFrom(undefined, "uid-before");
const someNames = fc.subarray([...NAMES, "e"]);

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...is("reconcile"), cut, arrival: fc.option(index, { nil: undefined }) }) },
  { weight: 5, arbitrary: fc.record({ ...is("restoreResource"), index, controller }) },
  { weight: 1, arbitrary: fc.record({ ...is("staleIsMended"), index }) },
  { weight: 2, arbitrary: fc.record({ ...is("restoreRecord", "forgeRecord"), known: fc.subarray(NAMES) }) },
  { weight: 1, arbitrary: fc.record({ ...is("compositionChanges"), desired: someNames }) },
  {
    weight: 4,
    arbitrary: fc.record(is(...RESTORES, "providerComes", "providerGoes", "compositeIsAdopted", "foreignIsAdded")),
  },
);

const history: fc.Arbitrary<History> = fc.record({
  collector: fc.constantFrom<Collector>("deletes", "forgets"),
  flavour: fc.constantFrom<Flavour>("legacy", "claimed", "nested", "modern", "namespaced"),
  composed: fc.subarray(NAMES, { minLength: 1 }),
  desired: someNames,
  finallyDesired: someNames,
  lost: fc.oneof(fc.constant([]), fc.subarray(NAMES)),
  recorded: fc.subarray(NAMES),
  isRecordFirst: fc.boolean(),
  isRequired: fc.boolean(),
  events: fc.array(event, { maxLength: 14 }),
});

/** The largest number of reconciles until nothing changes any more; two are enough where nothing fails. */
const TO_SETTLE = 6;

function play(past: History, isGuarded: boolean): void {
  const cluster = new Cluster({ ...past, isGuarded });
  if (past.isRecordFirst) cluster.restoreRecord(past.recorded);
  for (const happening of past.events) happen(cluster, happening);

  // At last everything is restored and works.
  cluster.restoreRecord(past.recorded);
  cluster.restoreComposite();
  cluster.hasProvider = true;
  cluster.isAdopted = past.flavour === "nested";
  for (let each = 0; each < NAMES.length; each++) cluster.restoreResource(each);
  for (const name of cluster.backedUp) cluster.removeStaleController(name);
  cluster.removeReference(FOREIGN);
  cluster.removeLostReferences();
  cluster.desired = new Set([...past.finallyDesired, "e"]);
  for (let each = 0; each < TO_SETTLE; each++) cluster.reconcile();
  cluster.chooseOnes();
  for (let each = 0; each < TO_SETTLE; each++) cluster.reconcile();
  if (isGuarded) assertNoSecond(cluster, past);
  cluster.mendRecord();
  cluster.isRequired = false;
  cluster.desired = new Set(past.finallyDesired);
  settle(cluster, past);

  // From now on the XR no longer waits for a resource that is missing.
  const [first] = cluster.references;
  if (first !== undefined) cluster.deleteByHand(first);
  cluster.exportRecord();
  const before = [...cluster.cloud.keys()].join();
  settle(cluster, past);
  if (isGuarded && [...cluster.cloud.keys()].join() !== before)
    throw new Violation("what was lost was created once more");
}

/** Asserts that nothing was created twice in the cloud that the restore brought back, or that was held back for its record. */
function assertNoSecond(cluster: Cluster, { lost, recorded, isRecordFirst, isRequired }: History): void {
  for (const name of NAMES) {
    const isKnown = isRequired || !lost.includes(name) || (isRecordFirst && recorded.includes(name));
    const all = [...cluster.cloud].filter(([, composedAs]) => composedAs === name);
    if (isKnown && all.length > 1) throw new Violation(`the cloud has ${all.length} of ${name}`);
  }
}

const isRestore = (happening: Event): happening is Event & { readonly is: Restore } =>
  RESTORES.some((restore) => restore === happening.is);

function happen(cluster: Cluster, happening: Event): void {
  if ("cut" in happening) {
    const { cut, arrival } = happening;
    cluster.reconcile(cut, () => cluster.restoreResource(arrival));
  } else if ("controller" in happening) {
    cluster.restoreResource(happening.index, happening.controller);
  } else if ("index" in happening) cluster.removeStaleController(cluster.backedUp[happening.index] ?? "");
  else if ("known" in happening) cluster[happening.is](happening.known);
  else if ("desired" in happening) cluster.desired = new Set(happening.desired);
  else if (isRestore(happening)) cluster[happening.is]();
  else if (happening.is === "compositeIsAdopted") cluster.isAdopted = true;
  else if (happening.is === "foreignIsAdded") cluster.addForeign(FOREIGN);
  else cluster.hasProvider = happening.is === "providerComes";
}

/**
 * Reconciles until nothing changes any more. Asserts that the XR controls and refers to one resource for each desired name, and
 * that only a foreign one is left besides.
 */
function settle(cluster: Cluster, { finallyDesired, events }: History): void {
  for (let each = 0; each < TO_SETTLE; each++) cluster.reconcile();
  // An XR whose own team forged its record may not look for what is restored later and is desired no longer: that stays as it is.
  const isForged = events.some((each) => each.is === "forgeRecord");
  const isLeft = (name: string): boolean => !cluster.isControlled(name) && !cluster.references.includes(name);
  const own = [...cluster.resources].filter(([name]) => name !== FOREIGN && !(isForged && isLeft(name)));
  const composed = own.map(([, { composedAs }]) => composedAs).sort();
  if (composed.join() !== [...finallyDesired].sort().join())
    throw new Violation(`there is ${composed.join() || "none"}`);
  for (const [name] of own) {
    if (!cluster.references.includes(name)) throw new Violation(`${name} is orphaned`);
    if (!cluster.isControlled(name)) throw new Violation(`${name} is not controlled`);
  }
  const foreign = cluster.resources.get(FOREIGN);
  if (foreign?.controller !== undefined) throw new Violation("a foreign resource was adopted");
}

export interface Options {
  readonly seed: number;
  readonly runs: number;
  /** True if the pipeline contains adoption. */
  readonly isGuarded: boolean;
  readonly onProgress?: (run: number) => void;
}

/** @throws {Error} with the shortest history that breaks the property, and the seed that repeats it. */
export function checkInterleavings({ seed, runs, isGuarded, onProgress }: Options): void {
  let run = 0;
  const property = fc.property(history, (past) => {
    play(past, isGuarded);
    onProgress?.(++run);
  });
  fc.assert(property, { seed, numRuns: runs });
}
