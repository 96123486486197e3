import { leavesBehind, toDeparture } from "../../cli/admission/departures.ts";
import { EXTERNAL_NAME_KEY } from "../../src/crossplane/metadata.ts";
import { tags } from "../../src/features/tags/tags.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { IDENTITY_LABEL, TAKE_OWNERSHIP } from "../../src/ownership/annotations.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import { externallyNamed } from "../builders/composed.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { inputOf } from "../builders/sharing.ts";
import { callUntilStable } from "./calls.ts";
import { lookUpIn, may, metadataOf, objectIn, policiesOf } from "./store.ts";

/**
 * A control plane in which several XRs declare one of two cloud resources, small enough to try any order of events. It has caches
 * of any age, server-side apply, a provider that obeys management policies, and the admission webhook.
 */

/** The names of the cloud resources: an XR has the first until it is renamed. */
export const NAMES = ["orders", "bills"] as const;
export type Name = (typeof NAMES)[number];

/** This control plane and another one on the same cloud account, as the tag names them. */
const HERE = "here";
const ELSEWHERE = "elsewhere";

/** A managed resource that nobody has looked at yet. */
const UNSEEN = {
  xr: 0,
  uid: "",
  createdAt: "",
  isDeleting: false,
  /** True if its XR is gone, and the admission webhook has kept it. */
  isHeld: false,
  /** True if its XR was deleted with --cascade=orphan. */
  isOrphan: false,
  isPaused: false,
  /** The annotation by which an operator takes ownership; Crossplane's server-side apply leaves it alone. */
  take: "",
  /** The object that the XR's function desired last; undefined where no function has seen it. */
  applied: undefined as JsonObject | undefined,
  /** The provider's finding when it last looked; undefined before. */
  found: undefined as "absent" | "present" | "paused" | "failed" | undefined,
  /** The cloud resource that it looked for. */
  foundName: undefined as Name | undefined,
  /** The time at which its provider created the cloud resource; empty where it found one. */
  cloudCreatedAt: "",
  /** Changes with each write. */
  version: 0,
  /** The generation of its spec, and the one that the provider's last report is about. */
  generation: 1,
  foundGeneration: 0,
  /** The creation that the provider has begun, as the managed resource was then. */
  begun: undefined as
    | { readonly name: Name; readonly at: string; readonly applied: JsonObject | undefined }
    | undefined,
  /** True if the last report is that of a creation. */
  isCreating: false,
  /** The annotations that the provider has put back with the report of a creation, until they are applied again. */
  putBack: {} as JsonObject,
  /** The name that the cloud made up for an association, as the managed resource has it; empty before. */
  cloudName: "",
  /** True if the provider has resolved its reference. */
  isResolved: false,
};
type Managed = Readonly<typeof UNSEEN>;

type Cluster = ReadonlyMap<number, Managed>;

/** A cloud resource before anybody has created it. */
const NOT_CREATED = {
  exists: false,
  /**
   * The XR whose Composition lacks the step: its managed resource may do everything, and carries no label. `created` if its provider
   * created the cloud resource.
   */
  outsider: "none" as "none" | "exists" | "created",
  /** True once one of ours has created it: a second cloud resource of the same name looks like the first. */
  isCreatedByUs: false,
  /**
   * True for an association that was created by a managed resource that was being deleted, before its XR knew who else declares it:
   * its name is gone, and to give such a one Delete could delete what another XR owns.
   */
  isLost: false,
  /** True if the one that is there now was created by one of ours. */
  isOurs: false,
  /** The control plane that wrote its tags last. */
  cluster: undefined as string | undefined,
  /** The name that the cloud made up for an association. */
  cloudName: "",
};
type CloudResource = typeof NOT_CREATED;

interface Xr {
  name: Name;
  /** True if it names the region, or the bucket of an association, by a reference. */
  refers: boolean;
  /** True if it composes the namespaced kind. */
  isTwin: boolean;
  isPaused: boolean;
  /** The newest state of the cluster that the XR has read; it never reads an older one. */
  readVersion: number;
  /** True if its condition says that it may count on the cloud resource. */
  counts: boolean;
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
  /** True if all declare associations: the cloud makes up the name, and refuses to create one that exists. */
  readonly #isAssociation: boolean;
  /** True if all declare roles, of which each account has one of the name: their ProviderConfigs tell that it is one account. */
  readonly #isRole: boolean;
  #isForged = false;

  /** @param uids the order in which the UIDs of managed resources sort, by XR. */
  constructor(uids: readonly number[], { reportsGeneration = true, isAssociation = false, isRole = false } = {}) {
    this.#uids = uids;
    this.#reportsGeneration = reportsGeneration;
    this.#isAssociation = isAssociation;
    this.#isRole = isRole && !isAssociation;
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

  /** Moves the clock on by a second, the resolution of creationTimestamps: several events may share one. */
  tick(): void {
    this.#clock += 1;
  }

  create(xr: number, { hasManagedResource = false, refers = false, isTwin = false } = {}): void {
    if (this.#xrs.has(xr) || this.#now.has(xr)) return;
    this.#xrs.set(xr, { readVersion: 0, counts: false, name: "orders", isPaused: false, refers, isTwin });
    if (!hasManagedResource) return;
    this.#put(this.#newManaged(xr, undefined));
    this.provide(xr);
  }

  /** The XR declares the other cloud resource from now on. */
  rename(xr: number): void {
    const state = this.#xrs.get(xr);
    if (state === undefined || this.#isAssociation) return; // a provider refuses to move an association
    state.name = state.name === "orders" ? "bills" : "orders";
    state.counts = false;
  }

  /** Crossplane does not reconcile a paused XR. */
  pause(xr: number, isPaused: boolean): void {
    const state = this.#xrs.get(xr);
    if (state !== undefined) state.isPaused = isPaused;
  }

  /** The provider does not reconcile a paused managed resource. */
  pauseManaged(xr: number, isPaused: boolean): void {
    const managed = this.#now.get(xr);
    if (managed !== undefined && managed.isPaused !== isPaused) this.#put({ ...managed, isPaused });
  }

  /** An XR without the step declares the cloud resource; its provider acts at once. */
  createOutsider(name: Name = "orders"): void {
    const resource = this.#cloud[name];
    // Of two creations at once one is known to be the first only afterwards.
    const isBegun = this.#all.some(({ begun }) => begun?.name === name);
    // The name that the cloud makes up for an association of it can be found nowhere.
    if (resource.outsider !== "none" || isBegun || this.#isAssociation) return;
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
    if (this.#isAssociation) return; // it has no tags that say so
    Object.assign(this.#cloud[name], { exists: true, cluster: ELSEWHERE });
  }

  delete(xr: number): void {
    this.#xrs.delete(xr);
    this.#deleteManaged(xr);
  }

  /** The XR goes, and its managed resource stays as it is, without a controller. */
  orphan(xr: number): void {
    const managed = this.#now.get(xr);
    // Of an association that no function has seen the name could be found nowhere.
    if (managed === undefined || (this.#isAssociation && managed.applied === undefined)) return;
    if (this.#xrs.delete(xr)) this.#put({ ...managed, isOrphan: true });
  }

  /** An operator does with each orphan what the condition says: it observes, and goes. */
  clearOrphans(): void {
    for (const managed of this.#all.filter(({ isOrphan, isDeleting }) => isOrphan && !isDeleting)) {
      const { applied = this.#declare("orders") } = managed;
      const spec = { ...objectIn(applied, "spec"), managementPolicies: ["Observe"] };
      this.#put({ ...managed, applied: { ...applied, spec }, isHeld: false, isDeleting: true });
      this.#leave(nameOf(managed));
    }
  }

  /** Kubernetes deletes what the XR composed, unless the admission webhook denies that. */
  #deleteManaged(xr: number): void {
    const managed = this.#now.get(xr);
    if (managed === undefined || managed.isDeleting) return;
    const departure = toDeparture(this.#show(managed));
    const all = this.#all.filter((other) => identityOf(other) === departure?.identity);
    const contenders = all.map((other) => toContender(documentOf(this.#show(other))));
    const isHeld = departure !== undefined && leavesBehind(departure, contenders, this.#departed);
    if (departure !== undefined && !isHeld) this.#departed.push(departure);
    if (!isHeld || !managed.isHeld) this.#put({ ...managed, isHeld, isDeleting: !isHeld });
  }

  /** Moves ownership to the XR, as an operator does. */
  take(xr: number): void {
    const managed = this.#now.get(xr);
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
    const draft = this.#call(xr, this.#history[state.readVersion] ?? new Map());
    meanwhile();
    this.#apply(xr, state, draft);
    return draft;
  }

  /** Reconciles one managed resource, as its provider does; Kubernetes tries again to delete what was kept. */
  provide(xr: number): void {
    if (this.#now.get(xr)?.isHeld === true) this.#deleteManaged(xr);
    const managed = this.#now.get(xr);
    if (managed === undefined || managed.isPaused) return;
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
      this.#history.push(new Map([...this.#now].filter(([key]) => key !== xr)));
      return;
    }
    this.#observe(managed);
  }

  /** Begins to create the cloud resource, where that is asked for; the provider's next turn ends it. */
  begin(xr: number): void {
    const managed = this.#now.get(xr);
    if (managed === undefined || managed.isPaused || managed.isDeleting || managed.begun !== undefined) return;
    if (!isWriter(managed) || this.#finds(managed)) return;
    if (managed.cloudCreatedAt !== "") this.tick();
    this.#put({ ...managed, begun: { name: nameOf(managed), at: this.#timestamp(), applied: managed.applied } });
  }

  /** Reports a creation: of what was named when it began, on the managed resource as it is now. */
  #finish(managed: Managed, { name, at, applied }: NonNullable<Managed["begun"]>): void {
    const isTaken = this.#cloud[name].exists;
    if (isTaken && this.#isAssociation) {
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
    this.#cloud[name].isLost = this.#isAssociation && managed.isDeleting && !may(managed.applied, "Delete");
    this.#put(reported);
    if (nameOf(reported) !== name) this.#leave(name);
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
    };
    if (JSON.stringify(after) !== JSON.stringify(managed)) this.#put(after);
  }

  #create(managed: Managed): Managed {
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

  /** The living XRs that declare a cloud resource. */
  #livingOf(name: Name): readonly number[] {
    return [...this.#xrs].filter(([, xr]) => xr.name === name).map(([xr]) => xr);
  }

  /** What is wrong once nothing changes any more. */
  get lasting(): readonly string[] {
    const hanging = this.#all.filter(({ isDeleting }) => isDeleting);
    const blind = this.#cloud.orders.isLost ? [] : this.living.filter((xr) => this.#now.get(xr)?.found !== "present");
    return [
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
    const isForeign = resource.outsider === "created" && !resource.isCreatedByUs;
    this.#forget(resource);
    if (isForeign && applied !== undefined) this.faults.push(`XR ${xr} deleted what an XR without the step created`);
    const bereft = this.#livingOf(name).filter((other) => other !== xr && this.#xrs.get(other)?.counts);
    // No function can have kept Delete from a managed resource that none has seen.
    if (bereft.length > 0 && applied !== undefined) {
      this.faults.push(`XR ${xr} took ${name} with it, and XR ${bereft.join(", ")} counted on it`);
    }
  }

  #forget(resource: CloudResource): void {
    Object.assign(resource, { exists: false, isOurs: false, cluster: undefined });
  }

  #apply(xr: number, state: Xr, { resources, conditions }: Draft): void {
    const edit = resources.get("bucket");
    const managed = this.#now.get(xr);
    const applied = objectSetBy(edit);
    if (edit?.is !== "set" || applied === undefined) {
      this.faults.push(`XR ${xr} left out what it had created`);
      return;
    }
    const [condition] = conditions;
    state.counts = condition?.status === "True";
    if (state.counts && edit.ready === "False") this.faults.push(`XR ${xr} is not ready, and says that it is`);
    if (managed === undefined) {
      this.#put(this.#newManaged(xr, applied));
      return;
    }
    const isPutBack = Object.keys(managed.putBack).length > 0;
    const isSame = managed.applied !== undefined && JSON.stringify(managed.applied) === JSON.stringify(applied);
    if (!isSame || isPutBack) this.#change(managed, applied);
  }

  #change(managed: Managed, applied: JsonObject): void {
    const hasNewSpec = JSON.stringify(managed.applied?.["spec"]) !== JSON.stringify(applied["spec"]);
    const generation = managed.generation + Number(hasNewSpec);
    const cloudName = readCloudName(applied) ?? managed.cloudName;
    const changed = { ...managed, applied, generation, putBack: {}, cloudName };
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

  #newManaged(xr: number, applied: JsonObject | undefined): Managed {
    const uid = `${String(this.#uids[xr] ?? xr).padStart(3, "0")}-${this.#history.length}`;
    return { ...UNSEEN, xr, uid, createdAt: this.#timestamp(), applied, cloudName: readCloudName(applied) ?? "" };
  }

  /** @returns when. */
  #createInCloud(name: Name): string {
    const made = Object.assign(this.#cloud[name], { exists: true, isCreatedByUs: true, isOurs: true, isLost: false });
    if (this.#isAssociation) made.cloudName = `made-up-${this.#history.length}`;
    return this.#timestamp();
  }

  #show(managed: Managed): JsonObject {
    const applied = managed.applied ?? this.#declare("orders");
    return observed({ ...managed, applied }, this.#cloudOf(managed), this.#reportsGeneration);
  }

  /** Tells whether the provider finds the cloud resource: an association only by the name that the cloud made up. */
  #finds(managed: Managed): boolean {
    const { exists, cloudName } = this.#cloudOf(managed);
    return exists && (!this.#isAssociation || managed.cloudName === cloudName);
  }

  #cloudOf = (managed: Managed): CloudResource => this.#cloud[nameOf(managed)];

  #timestamp(): string {
    return `2026-01-01T00:00:${String(this.#clock % 60).padStart(2, "0")}Z`;
  }

  #put(managed: Managed): void {
    const version = this.#history.length;
    this.#history.push(new Map([...this.#now, [managed.xr, { ...managed, version }]]));
  }

  /** Calls the function with the managed resources that its XR has read of. */
  #call(xr: number, read: Cluster): Draft {
    const managed = this.#now.get(xr);
    const shown = [...read.values()].map((one) => this.#show(one));
    const add = [{ key: "team", value: `team-${xr}` }];
    const outcome = callUntilStable({
      xr: { ...XSHOP, metadata: { name: `shop-${xr}`, ...(this.#xrs.get(xr)?.isTwin && { namespace: teamOf(xr) }) } },
      input: parseInput(inputOf({ tags: { add, owner: { cluster: HERE } } })),
      observed: managed === undefined ? {} : { bucket: this.#show(managed) },
      desired: { bucket: this.#desiredBy(xr) },
      before: new Map(),
      lookUp: lookUpIn([...shown, ...(this.#isForged ? shown.map(toForged) : []), ...CONFIGS]),
      capabilities: ["RequiredSchemas"],
      feature: tags,
    });
    if (outcome.is === "frozen") throw new Error(`XR ${xr}: ${outcome.because}`);
    return outcome.draft;
  }

  #desiredBy(xr: number): JsonObject {
    const { name = "orders", refers, isTwin = false } = this.#xrs.get(xr) ?? {};
    const declared = this.#declare(name, refers);
    // Each namespaced XR has a ProviderConfig of its own; cluster-scoped ones have one of two.
    const ofCluster = { name: this.#isRole ? `way-${xr % 2}` : "default" };
    const providerConfigRef = isTwin ? { kind: "ProviderConfig", name: "default" } : ofCluster;
    const spec = { ...objectIn(declared, "spec"), providerConfigRef };
    return { ...declared, spec, ...(isTwin && { apiVersion: toTwin(String(declared["apiVersion"])) }) };
  }

  #declare(name: Name, refers = false): JsonObject {
    if (this.#isRole) return roleOf(name);
    return this.#isAssociation ? associationOf(refers) : bucketOf(name, refers);
  }
}

const XSHOP = { apiVersion: "example.org/v1", kind: "XShop" };

const toTwin = (apiVersion: string): string => apiVersion.replace(".aws.", ".aws.m.");

const isTwin = ({ apiVersion }: JsonObject): boolean => String(apiVersion).includes(".aws.m.");

/** The namespace of an XR. */
const teamOf = (xr: number): string => `team-${xr}`;

/** All ways into the account, of ten XRs at most. */
const CONFIGS: readonly JsonObject[] = [
  ...["way-0", "way-1"].map((name) => ({ apiVersion: "aws.upbound.io/v1beta1", metadata: { name } })),
  ...Array.from({ length: 10 }, (_, xr) => ({
    apiVersion: "aws.m.upbound.io/v1beta1",
    metadata: { name: "default", namespace: teamOf(xr) },
  })),
].map((config) => ({
  ...config,
  kind: "ProviderConfig",
  spec: { assumeRoleChain: [{ roleARN: "arn:aws:iam::111111111111:role/crossplane" }] },
}));

const roleOf = (name: Name): JsonObject => ({
  apiVersion: "iam.aws.upbound.io/v1beta1",
  kind: "Role",
  ...externallyNamed(name),
  spec: { forProvider: {} },
});

const REGION = { region: "eu-central-1" };

const ASSOCIATION = "BucketPublicAccessBlock";

/** The fields that the provider fills in, by kind. */
const RESOLVED: Readonly<Record<string, JsonObject>> = { Bucket: REGION, [ASSOCIATION]: { bucket: "home" } };

const bucketOf = (name: Name, refers = false): JsonObject => ({
  apiVersion: "s3.aws.upbound.io/v1beta1",
  kind: "Bucket",
  ...externallyNamed(name),
  spec: { forProvider: refers ? { regionRef: { name: "home" } } : REGION },
});

const associationOf = (refers: boolean): JsonObject => ({
  apiVersion: "s3.aws.upbound.io/v1beta1",
  kind: ASSOCIATION,
  spec: { forProvider: { ...REGION, ...(refers ? { bucketRef: { name: "home" } } : RESOLVED[ASSOCIATION]) } },
});

const annotationsOf = (object: JsonObject | undefined): JsonObject => objectIn(metadataOf(object ?? {}), "annotations");

/** The same managed resource, for another cloud resource. */
function toForged(object: JsonObject): JsonObject {
  const { deletionTimestamp: _, ...rest } = metadataOf(object);
  const annotations = { ...annotationsOf(object), [EXTERNAL_NAME_KEY]: "forged", [TAKE_OWNERSHIP]: "9999" };
  const spec = { ...objectIn(object, "spec"), forProvider: { bucket: "forged" }, managementPolicies: ["*"] };
  return { ...object, metadata: { ...rest, annotations, uid: `0-${String(rest["uid"])}` }, spec };
}

/** Reads the name that the cloud has made up, as the XR's function desires it. */
const readCloudName = (applied: JsonObject | undefined): string | undefined =>
  applied?.["kind"] === ASSOCIATION ? (annotationsOf(applied)[EXTERNAL_NAME_KEY] as string | undefined) : undefined;

/** The cloud resource that a managed resource stands for. */
function nameOf({ applied, putBack }: Managed): Name {
  const name = putBack[EXTERNAL_NAME_KEY] ?? annotationsOf(applied)[EXTERNAL_NAME_KEY];
  return NAMES.find((known) => known === name) ?? "orders";
}

const identityOf = ({ applied }: Managed) => objectIn(metadataOf(applied ?? {}), "labels")[IDENTITY_LABEL];

const isWriter = ({ isDeleting, applied }: Managed): boolean => !isDeleting && may(applied, "Update");

/** Tells whether a managed resource becomes a writer of what its provider has not looked for. */
const isBlind = (before: Managed, after: Managed): boolean =>
  !isWriter(before) && isWriter(after) && before.foundName !== nameOf(after);

/** A managed resource as the API server shows it. */
function observed(
  managed: Managed & { readonly applied: JsonObject },
  { cluster }: CloudResource,
  reportsGeneration: boolean,
): JsonObject {
  const { xr, uid, createdAt, isDeleting, isOrphan, isPaused, take, applied, cloudCreatedAt } = managed;
  const { begun, version, generation, putBack, isResolved, cloudName } = managed;
  const metadata = metadataOf(applied);
  const spec = objectIn(applied, "spec");
  const forProvider = { ...(isResolved && RESOLVED[String(applied["kind"])]), ...objectIn(spec, "forProvider") };
  return {
    ...applied,
    metadata: {
      ...metadata,
      name: `bucket-${xr}`,
      ...(isTwin(applied) && { namespace: teamOf(xr) }),
      uid,
      resourceVersion: String(version),
      generation,
      creationTimestamp: createdAt,
      ownerReferences: isOrphan ? [] : [{ ...XSHOP, name: `shop-${xr}`, uid: `xr-${xr}`, controller: true }],
      ...(isDeleting && { deletionTimestamp: createdAt }),
      annotations: {
        ...annotationsOf(applied),
        ...putBack,
        ...(cloudName !== "" && { [EXTERNAL_NAME_KEY]: cloudName }),
        "crossplane.io/composition-resource-name": "bucket",
        ...(begun !== undefined && { "crossplane.io/external-create-pending": begun.at }),
        ...(isPaused && { "crossplane.io/paused": "true" }),
        ...(take !== "" && { [TAKE_OWNERSHIP]: take }),
        ...(cloudCreatedAt !== "" && { "crossplane.io/external-create-succeeded": cloudCreatedAt }),
      },
    },
    spec: { ...spec, forProvider, managementPolicies: policiesOf(applied) },
    status: {
      conditions: toConditions(managed, reportsGeneration),
      ...(managed.found === "present" && cluster && { atProvider: { tags: { "crossplane-cluster": cluster } } }),
    },
  };
}

/** The condition that crossplane-runtime sets: the cloud resource was found, or it was not and must not be created. */
function toConditions(managed: Managed, reportsGeneration: boolean): readonly JsonObject[] {
  const { found, foundGeneration, isCreating } = managed;
  if (found === undefined) return [];
  const about = reportsGeneration ? { observedGeneration: foundGeneration } : {};
  if (found === "paused") return [{ type: "Synced", status: "False", reason: "ReconcilePaused", ...about }];
  const message = found === "failed" ? "create failed: it exists" : "observe failed: external resource does not exist";
  const is = found === "present" ? { status: "True" } : { status: "False", message };
  const ready = isCreating ? [{ type: "Ready", status: "False", reason: "Creating", ...about }] : [];
  return [{ type: "Synced", ...is, ...about }, ...ready];
}
