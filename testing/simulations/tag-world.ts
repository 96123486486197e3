import { leavesBehind, toDeparture } from "../../cli/admission/departures.ts";
import { EXTERNAL_NAME_KEY } from "../../src/crossplane/metadata.ts";
import { externalNames } from "../../src/features/external-names/external-names.ts";
import { recordNames } from "../../src/features/record-names.ts";
import { tags } from "../../src/features/tags/tags.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import { NAMES_NAME } from "../../src/records/names-record.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { inputOf } from "../builders/sharing.ts";
import { callUntilStable, type Requirements } from "./calls.ts";
import { lookUpIn, may, objectIn, policiesOf } from "./store.ts";
import {
  annotationsOf,
  type CloudResource,
  CONFIGS,
  type DeclaredKind,
  hasTags,
  identityOf,
  isBlind,
  isFollowed,
  isWriter,
  KINDS,
  keyOf,
  type Managed,
  mergeLeft,
  NAMES,
  type Name,
  NOT_CREATED,
  nameOf,
  observed,
  RESOURCES,
  type Resource,
  readCloudName,
  teamOf,
  toForged,
  toTwin,
  UNSEEN,
  XSHOP,
} from "./tag-objects.ts";

/**
 * A control plane in which several XRs declare one of two cloud resources, small enough to try any order of events. It has caches
 * of any age, server-side apply, a provider that obeys management policies, and the admission webhook.
 */

/** This control plane and another one on the same cloud account, as the tag names them. */
const HERE = "here";
const ELSEWHERE = "elsewhere";

const HAS_TAGS: Readonly<Record<DeclaredKind, boolean>> = { bucket: true, association: false, role: true, vpc: true };

/** Managed resources by `keyOf`. */
type Cluster = ReadonlyMap<string, Managed>;

interface Xr {
  name: Name;
  /** True if it names the region, or the bucket of an association, by a reference. */
  refers: boolean;
  /** True if it imports what the cloud has named. */
  imports: boolean;
  /** The name of its resource in the Composition. */
  resource: Resource;
  /** True if it composes the namespaced kind. */
  isTwin: boolean;
  isPaused: boolean;
  /** The newest state of the cluster that the XR has read; it never reads an older one. */
  readVersion: number;
  /** True if its condition says that it may count on the cloud resource. */
  counts: boolean;
  /** The reason of its condition. */
  reason: string;
  /** Its record of names, and true while its condition suspects two cloud resources. */
  record: JsonObject | undefined;
  isSuspecting: boolean;
  /** The requirements of its last reconcile, which Crossplane v2.4 answers before it calls the function. */
  asked: Requirements;
}

export class TagWorld {
  readonly #history: Cluster[] = [new Map()];
  readonly #xrs = new Map<number, Xr>();
  readonly #uids: readonly number[];
  readonly #departed: Contender[] = [];
  #clock = 0;
  #takes = 0;
  readonly #cloud: Readonly<Record<Name, CloudResource>> = { orders: { ...NOT_CREATED }, bills: { ...NOT_CREATED } };
  /** The breaches of the property, a sentence each. */
  readonly faults: string[] = [];

  /** True if the provider's runtime reports the generation that it has read. */
  readonly #reportsGeneration: boolean;
  readonly #kind: DeclaredKind;
  /** True if Crossplane remembers requirements from one reconcile to the next. */
  readonly #remembers: boolean;
  /** True if the step has `externalNames`, too. */
  readonly #hasNames: boolean;
  #isForged = false;

  /** @param uids the order in which the UIDs of managed resources sort, by XR. */
  constructor(
    uids: readonly number[],
    { reportsGeneration = true, kind = "bucket" as DeclaredKind, remembers = false, hasNames = false } = {},
  ) {
    this.#uids = uids;
    this.#remembers = remembers;
    this.#hasNames = hasNames;
    this.#reportsGeneration = reportsGeneration;
    this.#kind = kind;
  }

  /** A managed resource of another cloud resource gets the labels and marks of an owner of this one. */
  forge(): void {
    this.#isForged = true;
  }

  get living(): readonly number[] {
    return [...this.#xrs.keys()];
  }

  get #now(): Cluster {
    return this.#history.at(-1) ?? new Map();
  }

  get #all(): readonly Managed[] {
    return [...this.#now.values()];
  }

  /** True if the cloud makes up the name. */
  get #isNamedByCloud(): boolean {
    return this.#kind === "association" || this.#kind === "vpc";
  }

  /** The managed resources of an XR: two while a new name in the Composition takes over from the old one. */
  #of(xr: number): readonly Managed[] {
    return this.#all.filter((managed) => managed.xr === xr);
  }

  /** Moves the clock on by a second, the resolution of creationTimestamps: several events may share one. */
  tick(): void {
    this.#clock += 1;
  }

  create(xr: number, { hasManagedResource = false, refers = false, isTwin = false } = {}): void {
    if (this.#xrs.has(xr) || this.#of(xr).length > 0) return;
    const imports = this.#kind === "vpc" && this.#xrs.size + this.#now.size > 0;
    if (imports && !this.#cloud.orders.exists) return; // nobody knows its id yet
    const unread = { readVersion: 0, counts: false, reason: "", asked: new Map() };
    const begun = { ...unread, isPaused: false, record: undefined, isSuspecting: false };
    this.#xrs.set(xr, { ...begun, name: "orders", resource: "bucket", refers, imports, isTwin });
    if (!hasManagedResource || imports) return;
    this.#put(this.#newManaged(xr, "bucket", undefined));
    this.provide(xr);
  }

  /** The XR declares the other cloud resource from now on. */
  rename(xr: number): void {
    const state = this.#xrs.get(xr);
    if (state === undefined || this.#isNamedByCloud) return; // a provider refuses to move an association
    state.name = state.name === "orders" ? "bills" : "orders";
    state.counts = false;
  }

  /** Its Composition gives its resource another name. What the cloud has named, a new resource does not find. */
  renameResource(xr: number): void {
    const state = this.#xrs.get(xr);
    if (state === undefined || (this.#kind === "vpc" && !state.imports)) return;
    state.resource = state.resource === "bucket" ? "store" : "bucket";
  }

  /** Crossplane does not reconcile a paused XR. */
  pause(xr: number, isPaused: boolean): void {
    const state = this.#xrs.get(xr);
    if (state !== undefined) state.isPaused = isPaused;
  }

  /** The provider does not reconcile a paused managed resource. */
  pauseManaged(xr: number, isPaused: boolean): void {
    for (const managed of this.#of(xr)) if (managed.isPaused !== isPaused) this.#put({ ...managed, isPaused });
  }

  /** An XR without the step declares the cloud resource; its provider acts at once. */
  createOutsider(name: Name = "orders"): void {
    const resource = this.#cloud[name];
    // Of two creations at once one is known to be the first only afterwards.
    const isBegun = this.#all.some(({ begun }) => begun?.name === name);
    // The name that the cloud makes up for it can be found nowhere.
    if (resource.outsider !== "none" || isBegun || this.#isNamedByCloud) return;
    resource.outsider = resource.exists ? "exists" : "created";
    resource.exists = true;
  }

  /** The XR without the step goes, and takes the cloud resource with it. */
  deleteOutsider(name: Name = "orders"): void {
    const resource = this.#cloud[name];
    if (resource.outsider !== "none") this.#forget(resource);
    resource.outsider = "none";
    for (const xr of this.#xrs.values()) if (xr.name === name) xr.counts = false; // nobody could have told them
  }

  /** Another control plane writes the cloud resource once, and leaves it behind: ours is to leave it alone then. */
  writeElsewhere(name: Name): void {
    if (this.#isNamedByCloud) return; // it has no tags that say so, or nobody knows its name
    Object.assign(this.#cloud[name], { exists: true, cluster: ELSEWHERE });
  }

  delete(xr: number): void {
    this.#xrs.delete(xr);
    for (const managed of this.#of(xr)) this.#deleteManaged(managed);
  }

  /** The XR goes, and its managed resource stays as it is, without a controller. */
  orphan(xr: number): void {
    const all = this.#of(xr);
    // Of an association that no function has seen the name could be found nowhere.
    if (all.length === 0 || (this.#kind === "association" && all.some(({ applied }) => applied === undefined))) return;
    if (this.#xrs.delete(xr)) for (const managed of all) this.#put({ ...managed, isOrphan: true });
  }

  /** An operator does with each orphan what the condition says: it observes, and goes. */
  clearOrphans(): void {
    for (const managed of this.#all.filter(({ isOrphan, isDeleting }) => isOrphan && !isDeleting)) {
      const { applied = this.#first } = managed;
      const spec = { ...objectIn(applied, "spec"), managementPolicies: ["Observe"] };
      this.#put({ ...managed, applied: { ...applied, spec }, isHeld: false, isDeleting: true });
      this.#leave(nameOf(managed));
    }
  }

  /** Kubernetes deletes what the XR composed, unless the admission webhook denies that. */
  #deleteManaged(managed: Managed): void {
    if (managed.isDeleting) return;
    const departure = toDeparture(this.#show(managed));
    const all = this.#all.filter((other) => identityOf(other) === departure?.identity);
    const contenders = all.map((other) => toContender(documentOf(this.#show(other))));
    const isHeld = departure !== undefined && leavesBehind(departure, contenders, this.#departed);
    if (departure !== undefined && !isHeld) this.#departed.push(departure);
    if (!isHeld || !managed.isHeld) this.#put({ ...managed, isHeld, isDeleting: !isHeld });
  }

  /** Moves ownership to the XR, as an operator does. */
  take(xr: number): void {
    const managed = this.#of(xr).at(-1);
    this.#takes += 1;
    if (managed !== undefined) this.#put({ ...managed, take: String(this.#takes).padStart(4, "0") });
  }

  /**
   * @param staleness the age of the list of contenders that the XR reads: 0 is new, 1 as old as it can be.
   * @param meanwhile what happens after the XR has read its managed resource, and before it applies that.
   */
  reconcile(xr: number, staleness: number, meanwhile = () => {}): Draft | undefined {
    const state = this.#xrs.get(xr);
    if (state === undefined || state.isPaused) return undefined;
    const newest = this.#history.length - 1;
    state.readVersion = newest - Math.floor((newest - state.readVersion) * staleness);
    const desired = { [state.resource]: this.#composedBy(xr, KINDS[this.#kind](state), state.isTwin) };
    const draft = this.#call(xr, desired, this.#history[state.readVersion] ?? new Map());
    meanwhile();
    const find = (type: string) => draft.conditions.find((condition) => condition.type === type);
    const { status, reason = "" } = find("TagsOwned") ?? {};
    const isSuspecting = find("ExternalNamesPinned")?.reason === "DuplicateSuspected";
    const record = objectSetBy(draft.resources.get(NAMES_NAME));
    Object.assign(state, { counts: status === "True", reason, isSuspecting, record });
    for (const resource of RESOURCES) this.#apply(xr, resource, desired[resource], draft);
    return draft;
  }

  /** Reconciles what an XR composes, as its provider does; Kubernetes tries again to delete what was kept. */
  provide(xr: number): void {
    for (const managed of this.#of(xr)) {
      if (managed.isHeld) this.#deleteManaged(managed);
      this.#provide(this.#now.get(keyOf(managed)) ?? managed);
    }
  }

  #provide(managed: Managed): void {
    if (managed.isPaused) return;
    if (managed.begun !== undefined) {
      this.#finish(managed, managed.begun);
      return;
    }
    if (policiesOf(managed.applied).length === 0) {
      if (managed.found !== "paused") this.#put({ ...managed, found: "paused", foundName: undefined });
      return;
    }
    if (managed.isDeleting) {
      if (may(managed.applied, "Delete")) this.#deleteFromCloud(managed);
      // Who created it left it to the owner of another way that had not joined yet, and is in no list: if that goes now, too, it stays.
      else if (isFollowed(managed)) this.#leaveToFollower(managed);
      this.#history.push(new Map([...this.#now].filter(([key]) => key !== keyOf(managed))));
      return;
    }
    this.#observe(managed);
  }

  /** Begins to create the cloud resource, where that is asked for; the provider's next turn ends it. */
  begin(xr: number): void {
    for (const managed of this.#of(xr)) this.#begin(managed);
  }

  #begin(managed: Managed): void {
    if (managed.isPaused || managed.isDeleting || managed.begun !== undefined || this.#isImport(managed)) return;
    if (!isWriter(managed) || this.#finds(managed)) return;
    if (managed.cloudCreatedAt !== "") this.tick();
    this.#put({ ...managed, begun: { name: nameOf(managed), at: this.#timestamp(), applied: managed.applied } });
  }

  /** Reports a creation: of what was named when it began, on the managed resource as it is now. */
  #finish(managed: Managed, { name, at, applied }: NonNullable<Managed["begun"]>): void {
    const isTaken = this.#cloud[name].exists;
    if (isTaken && this.#kind === "association") {
      this.#put({ ...managed, begun: undefined, found: "failed" });
      return;
    }
    if (!isTaken) this.#createInCloud(name);
    const { cloudName } = this.#cloud[name];
    const isChanged = applied !== managed.applied;
    const before = isChanged ? annotationsOf(applied) : {};
    const seen = { found: "present", foundName: name, foundGeneration: managed.generation } as const;
    const created = { begun: undefined, isCreating: true, cloudCreatedAt: at, putBack: before, cloudName };
    const reported = { ...managed, ...seen, ...created };
    this.#cloud[name].isLost = this.#kind === "association" && managed.isDeleting && !may(managed.applied, "Delete");
    this.#put(reported);
    // Without generations no function can tell that its provider had looked for the former name (docs/tags.md).
    const isUntold = !this.#reportsGeneration && managed.isDeleting && managed.foundName !== name;
    if (isUntold && !may(managed.applied, "Delete")) this.#cloud[name].isOurs = false;
    if (nameOf(managed) !== name) this.#leave(name); // renamed meanwhile, even if the report puts the name back
  }

  /** Creates the cloud resource where that is asked for, and notes what there is. */
  #observe(managed: Managed): void {
    const isWriting = isWriter(managed);
    const isCreating = isWriting && !this.#cloudOf(managed).exists;
    const seen = isCreating ? this.#create(managed) : managed;
    if (isWriting && managed.applied !== undefined) this.#cloudOf(managed).cluster = HERE;
    const after: Managed = {
      ...seen,
      found: this.#finds(seen) ? "present" : isWriting ? "failed" : "absent",
      foundName: nameOf(managed),
      foundGeneration: managed.generation,
      isCreating: isCreating && managed.isCreating,
      isResolved: true,
      isFilled: this.#fills(managed),
    };
    if (JSON.stringify(after) !== JSON.stringify(managed)) this.#put(after);
  }

  /** Tells whether the provider fills in the tags, or has done so. */
  #fills = (managed: Managed): boolean =>
    managed.isFilled || (HAS_TAGS[this.#kind] && isWriter(managed) && !hasTags(managed.applied));

  #create(managed: Managed): Managed {
    const isUnseen = this.#isImport(managed) && !managed.wasPresent;
    if (isUnseen) this.faults.push(`XR ${managed.xr} makes another one than the one that it imports`);
    // Marks of creation have seconds, and between two of one managed resource its XR changes and is reconciled twice.
    if (managed.cloudCreatedAt !== "") this.tick();
    const cloudCreatedAt = this.#createInCloud(nameOf(managed));
    return { ...managed, cloudCreatedAt, cloudName: this.#cloudOf(managed).cloudName };
  }

  /** The XRs whose managed resource may write a cloud resource; one that the webhook has kept waits for an operator. */
  writersOf(name: Name): readonly number[] {
    const writers = this.#all.filter((managed) => isWriter(managed) && !managed.isHeld);
    return writers.filter((managed) => nameOf(managed) === name).map(({ xr }) => xr);
  }

  /** The living XRs that declare a cloud resource, but those that import one that is gone. */
  #livingOf(name: Name): readonly number[] {
    const isThere = ({ imports }: Xr): boolean => !imports || this.#cloud[name].exists;
    return [...this.#xrs].filter(([, xr]) => xr.name === name && isThere(xr)).map(([xr]) => xr);
  }

  /** What is wrong once nothing changes any more. */
  get lasting(): readonly string[] {
    const hanging = this.#all.filter(({ isDeleting }) => isDeleting);
    const isBlindNow = (xr: number): boolean => {
      const { resource = "bucket" } = this.#xrs.get(xr) ?? {};
      return this.#now.get(keyOf({ xr, resource }))?.found !== "present";
    };
    const blind = this.#cloud.orders.isLost ? [] : NAMES.flatMap((name) => this.#livingOf(name)).filter(isBlindNow);
    const twofold = this.living.filter((xr) => this.#of(xr).filter(({ isHeld }) => !isHeld).length > 1);
    const isWriting = (managed: Managed): boolean => isWriter(managed) && !managed.isPaused;
    const idle = [...this.#xrs].filter(([xr, { reason }]) => reason === "Owned" && !this.#of(xr).some(isWriting));
    const suspecting = [...this.#xrs].filter(([, { isSuspecting }]) => isSuspecting);
    return [
      ...suspecting.map(([xr]) => `XR ${xr} suspects two cloud resources, where there never was a second one`),
      ...idle.map(([xr]) => `XR ${xr} says Owned, and does not write`),
      ...twofold.map((xr) => `XR ${xr} keeps what its Composition has renamed`),
      ...hanging.map(({ xr }) => `the deletion of XR ${xr} does not end`),
      ...blind.map((xr) => `the provider of XR ${xr} does not find the cloud resource`),
      ...NAMES.flatMap((name) => this.#faultsOf(name)),
    ];
  }

  #faultsOf(name: Name): readonly string[] {
    const { exists, isOurs, isLost, cluster } = this.#cloud[name];
    const isDeclared = this.#livingOf(name).length > 0;
    const writers = this.writersOf(name).length;
    // An operator may have given it to one of ours, against what the tags say.
    const isElsewhere = exists && cluster === ELSEWHERE;
    const isOwned = writers === Number(isDeclared) || (writers === 0 && isElsewhere);
    const isLeaked = exists && isOurs && !isLost && !this.#all.some((managed) => nameOf(managed) === name);
    return [
      ...(isOwned ? [] : [`${name} has ${writers} writers`]),
      ...(isDeclared && !exists ? [`${name} does not exist`] : []),
      ...(isLeaked ? [`${name} is left behind`] : []),
    ];
  }

  /** A text of all managed resources, to compare before and after. */
  get print(): string {
    return JSON.stringify(this.#all.toSorted((a, b) => a.xr - b.xr));
  }

  #deleteFromCloud(managed: Managed): void {
    if (!this.#finds(managed)) return;
    const { xr, applied } = managed;
    const name = nameOf(managed);
    const resource = this.#cloudOf(managed);
    // No function can have kept Delete from a managed resource that none has seen in time, or whose XR never learned of an import.
    const isSeen = applied !== undefined && !managed.isSeenLate;
    const isForeign = resource.outsider === "created" && !resource.isCreatedByUs;
    this.#forget(resource);
    if (isForeign && isSeen) this.faults.push(`XR ${xr} deleted what an XR without the step created`);
    const bereft = [...this.#xrs].filter(([, one]) => one.name === name && one.counts).map(([other]) => other);
    const isKnown = isSeen && (this.#kind !== "vpc" || identityOf(managed) !== undefined);
    if (bereft.length > 0 && isKnown) {
      this.faults.push(`XR ${xr} took ${name} with it, and XR ${bereft.join(", ")} counted on it`);
    }
  }

  #forget(resource: CloudResource): void {
    Object.assign(resource, { exists: false, isOurs: false, cluster: undefined });
  }

  /** Applies what is desired in the end, or deletes what is not. */
  #apply(xr: number, resource: Resource, composed: JsonObject | undefined, { resources }: Draft): void {
    const edit = resources.get(resource);
    const managed = this.#now.get(keyOf({ xr, resource }));
    const applied = edit?.is === "removed" ? undefined : (objectSetBy(edit) ?? composed);
    const isReady = edit?.is !== "set" || edit.ready !== "False";
    if (applied === undefined && composed !== undefined) this.faults.push(`XR ${xr} left out what it composes`);
    if (!isReady && this.#xrs.get(xr)?.counts) this.faults.push(`XR ${xr} is not ready, and says that it is`);
    if (applied !== undefined) this.#update(managed, { xr, resource, applied });
    else if (managed !== undefined) this.#deleteManaged(managed);
  }

  #update(
    managed: Managed | undefined,
    { xr, resource, applied }: Pick<Managed, "xr" | "resource"> & { applied: JsonObject },
  ) {
    if (managed === undefined) {
      this.#put(this.#newManaged(xr, resource, applied));
      return;
    }
    if (managed.isFilled && hasTags(managed.applied) && !hasTags(applied)) return; // the API server refuses it
    const isPutBack = Object.keys(managed.putBack).length > 0;
    const next = managed.left === undefined ? applied : mergeLeft(managed.left, applied);
    const isSame = managed.applied !== undefined && JSON.stringify(managed.applied) === JSON.stringify(next);
    if (!isSame || isPutBack || managed.isHeld) this.#change({ ...managed, isHeld: false }, applied);
  }

  /** Restores what an XR composes from a backup without managed fields: server-side apply no longer removes what is not desired. */
  restore(xr: number): void {
    const state = this.#xrs.get(xr);
    if (state === undefined) return;
    for (const managed of this.#of(xr)) {
      if (managed.isDeleting || managed.isHeld || managed.applied === undefined || managed.begun !== undefined)
        continue;
      const { applied, cloudName, cloudCreatedAt, isPaused, take, resource, wasPresent } = managed;
      const kept = { cloudName, cloudCreatedAt, isPaused, take, wasPresent, left: applied };
      this.#put({ ...this.#newManaged(xr, resource, applied), ...kept });
    }
    state.counts = false;
  }

  #change(managed: Managed, desired: JsonObject): void {
    const applied = managed.left === undefined ? desired : mergeLeft(managed.left, desired);
    const hasNewSpec = JSON.stringify(managed.applied?.["spec"]) !== JSON.stringify(applied["spec"]);
    const generation = managed.generation + Number(hasNewSpec);
    // Server-side apply takes away a name that only the XR's function has set.
    const isLent = managed.cloudCreatedAt === "" && readCloudName(managed.applied) === managed.cloudName;
    const cloudName = readCloudName(applied) ?? (isLent ? "" : managed.cloudName);
    const isSeenLate = managed.isSeenLate || (managed.isDeleting && managed.applied === undefined);
    const changed = { ...managed, applied, isSeenLate, generation, putBack: {}, cloudName };
    this.#put(changed);
    // A runtime that reports no generations cannot tell what it has looked for.
    if (this.#reportsGeneration && isBlind(managed, changed))
      this.faults.push(`XR ${managed.xr} writes what its provider has not looked for`);
    if (nameOf(managed) !== nameOf(changed)) this.#leave(nameOf(managed));
  }

  /** An external name that changes leaves the old cloud resource to those that stay and have seen who created it, or to nobody. */
  #leave(name: Name): void {
    const others = this.#all.filter((managed) => nameOf(managed) === name && !managed.isDeleting);
    const isKnown = others.some((managed) => toContender(documentOf(this.#show(managed))).isCreated);
    if (!isKnown) this.#cloud[name].isOurs = false;
  }

  #leaveToFollower(managed: Managed): void {
    const resource = this.#cloudOf(managed);
    resource.isOurs = false;
    const isAlone = this.#all.every(({ isDeleting }) => isDeleting);
    if (isAlone && this.#kind === "vpc") resource.exists = false; // it has an id that nobody knows any more
  }

  #newManaged(xr: number, resource: Resource, applied: JsonObject | undefined): Managed {
    const uid = `${String(this.#uids[xr] ?? xr).padStart(3, "0")}-${this.#history.length}`;
    return {
      ...UNSEEN,
      xr,
      resource,
      uid,
      createdAt: this.#timestamp(),
      applied,
      cloudName: readCloudName(applied) ?? "",
    };
  }

  /** @returns when. */
  #createInCloud(name: Name): string {
    const made = Object.assign(this.#cloud[name], { exists: true, isCreatedByUs: true, isOurs: true, isLost: false });
    if (this.#isNamedByCloud) made.cloudName = this.#kind === "vpc" ? name : `made-up-${this.#history.length}`;
    return this.#timestamp();
  }

  #show(managed: Managed): JsonObject {
    const applied = managed.applied ?? this.#composedBy(managed.xr, this.#first);
    return observed({ ...managed, applied }, this.#cloudOf(managed), this.#reportsGeneration);
  }

  /** Tells whether the provider finds the cloud resource: one that the cloud has named only by that name. */
  #finds(managed: Managed): boolean {
    const { exists, cloudName } = this.#cloudOf(managed);
    const name = managed.cloudName || annotationsOf(managed.applied)[EXTERNAL_NAME_KEY];
    return exists && (!this.#isNamedByCloud || name === cloudName);
  }

  #isImport = ({ applied, cloudName }: Managed): boolean =>
    this.#kind === "vpc" && cloudName === "" && annotationsOf(applied)[EXTERNAL_NAME_KEY] !== undefined;

  #cloudOf = (managed: Managed): CloudResource => this.#cloud[nameOf(managed)];

  #timestamp(): string {
    return `2026-01-01T00:00:${String(this.#clock % 60).padStart(2, "0")}Z`;
  }

  #put(managed: Managed): void {
    const version = this.#history.length;
    const wasPresent = managed.wasPresent || managed.found === "present";
    this.#history.push(new Map([...this.#now, [keyOf(managed), { ...managed, wasPresent, version }]]));
  }

  /** Calls the function with the managed resources that its XR has read of. */
  #call(xr: number, desired: Readonly<Record<string, JsonObject>>, read: Cluster): Draft {
    const shown = [...read.values()].map((one) => this.#show(one));
    const record = this.#xrs.get(xr)?.record;
    const add = [{ key: "team", value: `team-${xr}` }];
    const outcome = callUntilStable({
      xr: { ...XSHOP, metadata: { name: `shop-${xr}`, ...(this.#xrs.get(xr)?.isTwin && { namespace: teamOf(xr) }) } },
      input: parseInput(
        inputOf({ tags: { add, owner: { cluster: HERE } }, ...(this.#hasNames && { externalNames: {} }) }),
      ),
      observed: {
        ...Object.fromEntries(this.#of(xr).map((managed) => [managed.resource, this.#show(managed)])),
        ...(record && { [NAMES_NAME]: record }),
      },
      desired,
      before: (this.#remembers && this.#xrs.get(xr)?.asked) || new Map(),
      lookUp: lookUpIn([...shown, ...(this.#isForged ? shown.map(toForged) : []), ...CONFIGS]),
      capabilities: ["RequiredSchemas"],
      feature: (call, draft) => recordNames(call, tags(call, externalNames(call, draft))),
    });
    if (outcome.is === "frozen") throw new Error(`XR ${xr}: ${outcome.because}`);
    Object.assign(this.#xrs.get(xr) ?? {}, { asked: outcome.draft.requirements });
    return outcome.draft;
  }

  /** Each namespaced XR has a ProviderConfig of its own; cluster-scoped ones that declare roles or VPCs have one of two. */
  #composedBy(xr: number, declared: JsonObject, isTwin = false): JsonObject {
    const ofCluster = { name: ["role", "vpc"].includes(this.#kind) ? `way-${xr % 2}` : "default" };
    const providerConfigRef = isTwin ? { kind: "ProviderConfig", name: "default" } : ofCluster;
    const spec = { ...objectIn(declared, "spec"), providerConfigRef };
    return { ...declared, spec, ...(isTwin && { apiVersion: toTwin(String(declared["apiVersion"])) }) };
  }

  /** Declares what an XR said before this step was in its Composition. */
  get #first(): JsonObject {
    return KINDS[this.#kind]({ name: "orders", refers: false, imports: false });
  }
}
