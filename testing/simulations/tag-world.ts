import { toComposite } from "../../src/crossplane/composite.ts";
import type { Call } from "../../src/features/feature.ts";
import { tags } from "../../src/features/tags/tags.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import { type Draft, emptyDraft } from "../../src/model/draft.ts";
import { valueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { externallyNamed } from "../builders/composed.ts";
import { emptyRequest } from "../builders/request.ts";
import { inputOf, resourceOf } from "../builders/sharing.ts";

/**
 * A control plane in which several XRs declare one cloud resource, small enough to try any order of events. It has caches of any
 * age, server-side apply, and a provider that obeys management policies.
 */

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
const TAKE = `${DOMAIN}/take-ownership`;
const EVERYTHING = ["*"];

interface Managed {
  readonly xr: number;
  readonly uid: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  /** The annotation by which an operator takes ownership; Crossplane's server-side apply leaves it alone. */
  readonly take: string;
  /** The object that the XR's function desired last; undefined where no function has seen it. */
  readonly applied: JsonObject | undefined;
  /** The provider's finding when it last looked; undefined before. */
  readonly found: "absent" | "present" | undefined;
  /** The time at which its provider created the cloud resource; empty where it found one. */
  readonly cloudCreatedAt: string;
}

/** An XR whose Composition lacks the step: its managed resource may do everything, and carries no label. */
type Outsider = "none" | "exists" | "created";

type Cluster = ReadonlyMap<number, Managed>;

interface Xr {
  /** The newest state of the cluster that the XR has read; it never reads an older one. */
  readVersion: number;
  /** True if its condition says that it may count on the cloud resource. */
  counts: boolean;
}

export class TagWorld {
  readonly #history: Cluster[] = [new Map()];
  readonly #xrs = new Map<number, Xr>();
  readonly #uids: readonly number[];
  #clock = 0;
  #takes = 0;
  cloudExists = false;
  /** The XR without the step, if there is one: `created` if its provider created the cloud resource. */
  #outsider: Outsider = "none";
  /** True once one of ours has created it: a second cloud resource of the same name looks like the first. */
  #isCreatedByUs = false;
  /** The breaches of the property, a sentence each. */
  readonly faults: string[] = [];

  /** @param uids the order in which the UIDs of managed resources sort, by XR. */
  constructor(uids: readonly number[]) {
    this.#uids = uids;
  }

  get living(): readonly number[] {
    return [...this.#xrs.keys()];
  }

  get #now(): Cluster {
    return this.#history.at(-1) ?? new Map();
  }

  /** Moves the clock on by a second, the resolution of creationTimestamps: several events may share one. */
  tick(): void {
    this.#clock += 1;
  }

  create(xr: number, hasManagedResource = false): void {
    if (this.#xrs.has(xr) || this.#now.has(xr)) return;
    this.#xrs.set(xr, { readVersion: 0, counts: false });
    if (!hasManagedResource) return;
    const cloudCreatedAt = this.cloudExists ? "" : this.#createInCloud();
    this.#put({ ...this.#newManaged(xr, undefined), found: "present", cloudCreatedAt });
  }

  /** An XR without the step declares the cloud resource; its provider acts at once. */
  createOutsider(): void {
    if (this.#outsider !== "none") return;
    this.#outsider = this.cloudExists ? "exists" : "created";
    this.cloudExists = true;
  }

  /** The XR without the step goes, and takes the cloud resource with it. */
  deleteOutsider(): void {
    if (this.#outsider !== "none") this.cloudExists = false;
    this.#outsider = "none";
    for (const xr of this.#xrs.values()) xr.counts = false; // nobody could have told them
  }

  delete(xr: number): void {
    this.#xrs.delete(xr);
    const managed = this.#now.get(xr);
    if (managed !== undefined) this.#put({ ...managed, isDeleting: true });
  }

  /** Moves ownership to the XR, as an operator does. */
  take(xr: number): void {
    const managed = this.#now.get(xr);
    this.#takes += 1;
    if (managed !== undefined) this.#put({ ...managed, take: String(this.#takes).padStart(4, "0") });
  }

  /** @param staleness the age of the list of contenders that the XR reads: 0 is new, 1 as old as it can be. */
  reconcile(xr: number, staleness: number): Draft | undefined {
    const state = this.#xrs.get(xr);
    if (state === undefined) return undefined;
    const newest = this.#history.length - 1;
    state.readVersion = newest - Math.floor((newest - state.readVersion) * staleness);
    const pending = tags(this.#callOf(xr, undefined), emptyDraft);
    const draft = tags(this.#callOf(xr, this.#history[state.readVersion]), emptyDraft);
    if (JSON.stringify([...pending.requirements]) !== JSON.stringify([...draft.requirements])) {
      this.faults.push(`XR ${xr} asked for something else once it was answered`);
    }
    this.#apply(xr, state, draft);
    return draft;
  }

  /** Reconciles one managed resource, as its provider does. */
  provide(xr: number): void {
    const managed = this.#now.get(xr);
    if (managed === undefined) return;
    const policies = policiesOf(managed);
    if (managed.isDeleting) {
      if (policies.some((policy) => policy === "*" || policy === "Delete")) this.#deleteFromCloud(managed);
      this.#history.push(new Map([...this.#now].filter(([key]) => key !== xr)));
      return;
    }
    const isCreating = isWriter(managed) && !this.cloudExists;
    const cloudCreatedAt = isCreating ? this.#createInCloud() : managed.cloudCreatedAt;
    const found = this.cloudExists ? "present" : "absent";
    if (found !== managed.found || cloudCreatedAt !== managed.cloudCreatedAt) {
      this.#put({ ...managed, found, cloudCreatedAt });
    }
  }

  /** The living XRs whose managed resource may write the cloud resource. */
  get writers(): readonly number[] {
    return [...this.#now.values()].filter(isWriter).map(({ xr }) => xr);
  }

  /** A text of all managed resources, to compare before and after. */
  get print(): string {
    return JSON.stringify([...this.#now.values()].sort((a, b) => a.xr - b.xr));
  }

  #deleteFromCloud({ xr, applied }: Managed): void {
    this.cloudExists = false;
    const isForeign = this.#outsider === "created" && !this.#isCreatedByUs;
    if (isForeign && applied !== undefined) this.faults.push(`XR ${xr} deleted what an XR without the step created`);
    const bereft = [...this.#xrs].filter(([other, { counts }]) => other !== xr && counts).map(([other]) => other);
    // No function can have kept Delete from a managed resource that none has seen.
    if (bereft.length > 0 && applied !== undefined) {
      this.faults.push(`XR ${xr} took the cloud resource with it, and XR ${bereft.join(", ")} counted on it`);
    }
  }

  #apply(xr: number, state: Xr, { resources, conditions }: Draft): void {
    const edit = resources.get("bucket");
    const managed = this.#now.get(xr);
    if (edit?.is !== "set" || edit.object === undefined) {
      this.faults.push(`XR ${xr} left out what it had created`);
      return;
    }
    const [condition] = conditions;
    state.counts = condition?.status === "True" || condition?.reason === "OwnedByAnother";
    if (state.counts && edit.ready === "False") this.faults.push(`XR ${xr} is not ready, and says that it is`);
    if (managed?.applied !== undefined && JSON.stringify(managed.applied) === JSON.stringify(edit.object)) return;
    this.#put(managed === undefined ? this.#newManaged(xr, edit.object) : { ...managed, applied: edit.object });
  }

  #newManaged(xr: number, applied: JsonObject | undefined): Managed {
    const uid = `${String(this.#uids[xr] ?? xr).padStart(3, "0")}-${this.#history.length}`;
    const createdAt = this.#timestamp();
    return { xr, uid, createdAt, isDeleting: false, take: "", applied, found: undefined, cloudCreatedAt: "" };
  }

  /** @returns when. */
  #createInCloud(): string {
    this.cloudExists = true;
    this.#isCreatedByUs = true;
    return this.#timestamp();
  }

  #timestamp(): string {
    return `2026-01-01T00:00:${String(this.#clock % 60).padStart(2, "0")}Z`;
  }

  #put(managed: Managed): void {
    this.#history.push(new Map([...this.#now, [managed.xr, managed]]));
  }

  #callOf(xr: number, answer: Cluster | undefined): Call {
    const composite = documentOf({ apiVersion: "example.org/v1", kind: "XShop", metadata: { name: `shop-${xr}` } });
    const managed = this.#now.get(xr);
    const items = answer && [...answer.values()].map(observed).filter(isLabelled).map(documentOf);
    return {
      composite: toComposite(composite),
      input: parseInput(inputOf({ tags: { add: [{ key: "team", value: `team-${xr}` }] } })),
      request: {
        ...emptyRequest,
        observed: {
          composite: resourceOf(composite.toObject()),
          resources: new Map(managed === undefined ? [] : [["bucket", resourceOf(observed(managed))]]),
        },
        desired: { composite: resourceOf({}), resources: new Map([["bucket", resourceOf(BUCKET)]]) },
        required: () => (items === undefined ? { is: "pending" } : { is: "resolved", items }),
      },
    };
  }
}

const BUCKET: JsonObject = {
  apiVersion: "s3.aws.upbound.io/v1beta2",
  kind: "Bucket",
  ...externallyNamed("orders"),
  spec: { forProvider: { region: "eu-central-1" } },
};

const isLabelled = (object: JsonObject): boolean =>
  valueAt(object, ["metadata", "labels", `${DOMAIN}/identity`]) !== undefined;

function policiesOf({ applied }: Managed): readonly unknown[] {
  const policies = applied && valueAt(applied, ["spec", "managementPolicies"]);
  return Array.isArray(policies) ? policies : EVERYTHING;
}

const isWriter = (managed: Managed): boolean =>
  !managed.isDeleting && policiesOf(managed).some((policy) => policy === "*" || policy === "Update");

/** A managed resource as the API server shows it. */
function observed(managed: Managed): JsonObject {
  const { xr, uid, createdAt, isDeleting, take, applied = BUCKET, cloudCreatedAt } = managed;
  const metadata = isObject(applied["metadata"]) ? applied["metadata"] : {};
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const spec = isObject(applied["spec"]) ? applied["spec"] : {};
  return {
    ...applied,
    metadata: {
      ...metadata,
      name: `bucket-${xr}`,
      uid,
      creationTimestamp: createdAt,
      ...(isDeleting && { deletionTimestamp: createdAt }),
      annotations: {
        ...annotations,
        "crossplane.io/composition-resource-name": "bucket",
        ...(take !== "" && { [TAKE]: take }),
        ...(cloudCreatedAt !== "" && { "crossplane.io/external-create-succeeded": cloudCreatedAt }),
      },
    },
    spec: { ...spec, managementPolicies: policiesOf(managed) as readonly string[] },
    status: { conditions: toConditions(managed) },
  };
}

/** What crossplane-runtime says of a cloud resource that it found, or did not find where it may not create it. */
function toConditions({ found }: Managed): readonly JsonObject[] {
  if (found === undefined) return [];
  const message = "observe failed: external resource does not exist";
  return [found === "present" ? { type: "Synced", status: "True" } : { type: "Synced", status: "False", message }];
}
