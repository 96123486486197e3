import { EXTERNAL_NAME_KEY } from "../../src/crossplane/metadata.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { CONTENDERS, IDENTITY_LABEL, ORIGIN, TAKE_OWNERSHIP } from "../../src/ownership/annotations.ts";
import { externallyNamed } from "../builders/composed.ts";
import { may, metadataOf, objectIn, policiesOf } from "./store.ts";

/** The objects of a control plane in which several XRs declare one of two cloud resources. */

/** The names of the cloud resources: an XR has the first until it is renamed. */
export const NAMES = ["orders", "bills"] as const;
export type Name = (typeof NAMES)[number];

/** The names of what an XR composes: the first until its Composition renames it. */
export const RESOURCES = ["bucket", "store"] as const;
export type Resource = (typeof RESOURCES)[number];

/** A managed resource that nobody has looked at yet. */
export const UNSEEN = {
  xr: 0,
  /** Its name in the Composition. */
  resource: "bucket" as Resource,
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
  /** True if its XR's function saw it first while it was being deleted. */
  isSeenLate: false,
  /** The provider's finding when it last looked; undefined before. */
  found: undefined as "absent" | "present" | "paused" | "failed" | undefined,
  /** True once it has found the cloud resource. */
  wasPresent: false,
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
  /** The name that the cloud made up, as the managed resource has it; empty before. */
  cloudName: "",
  /** True if the provider has resolved its reference. */
  isResolved: false,
  /** True once its provider, too, has filled in the tags: the API server lets nobody take the last one. */
  isFilled: false,
  /** What a restore without managed fields left, which no apply removes. */
  left: undefined as JsonObject | undefined,
};
export type Managed = Readonly<typeof UNSEEN>;

/** Applies what is desired over what a restore left. */
export function mergeLeft(left: JsonObject, desired: JsonObject): JsonObject {
  const [before, after] = [metadataOf(left), metadataOf(desired)];
  const merge = (key: string) => ({ ...objectIn(before, key), ...objectIn(after, key) });
  const metadata = { ...after, annotations: merge("annotations"), labels: merge("labels") };
  return { ...desired, metadata, spec: { ...objectIn(left, "spec"), ...objectIn(desired, "spec") } };
}

/** Its name in the cluster. */
export const keyOf = ({ xr, resource }: Pick<Managed, "xr" | "resource">): string => `${resource}-${xr}`;

/** A cloud resource before anybody has created it. */
export const NOT_CREATED = {
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
  /** The name that the cloud made up. */
  cloudName: "",
};
export type CloudResource = typeof NOT_CREATED;

export const XSHOP = { apiVersion: "example.org/v1", kind: "XShop" };

export const toTwin = (apiVersion: string): string => apiVersion.replace(".aws.", ".aws.m.");

const isTwin = ({ apiVersion }: JsonObject): boolean => String(apiVersion).includes(".aws.m.");

/** The namespace of an XR. */
export const teamOf = (xr: number): string => `team-${xr}`;

/** All ways into the account, of ten XRs at most. */
export const CONFIGS: readonly JsonObject[] = [
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

const REGION = { region: "eu-central-1" };

const ASSOCIATION = "BucketPublicAccessBlock";

/** The fields that the provider fills in, by kind. */
const RESOLVED: Readonly<Record<string, JsonObject>> = { Bucket: REGION, [ASSOCIATION]: { bucket: "home" } };

/** The cloud's tags, as the provider fills them in. */
const FILLED: JsonObject = { team: "cloud" };

/** What an XR says of the cloud resource that it declares. */
interface Said {
  readonly name: Name;
  /** True if it names the region, or the bucket of an association, by a reference. */
  readonly refers: boolean;
  /** True if it names what another one has created, and the cloud has named. */
  readonly imports: boolean;
}

/** The kinds of what all XRs declare. */
export const KINDS = {
  bucket: ({ name, refers }: Said) => ({
    apiVersion: "s3.aws.upbound.io/v1beta1",
    kind: "Bucket",
    ...externallyNamed(name),
    spec: { forProvider: refers ? { regionRef: { name: "home" } } : REGION },
  }),
  /** The cloud makes up its name, and refuses to create one that exists. */
  association: ({ refers }: Said) => ({
    apiVersion: "s3.aws.upbound.io/v1beta1",
    kind: ASSOCIATION,
    spec: { forProvider: { ...REGION, ...(refers ? { bucketRef: { name: "home" } } : RESOLVED[ASSOCIATION]) } },
  }),
  /** Each account has one of the name: their ProviderConfigs tell that it is one account. */
  role: ({ name }: Said) => ({
    apiVersion: "iam.aws.upbound.io/v1beta1",
    kind: "Role",
    ...externallyNamed(name),
    spec: { forProvider: {} },
  }),
  /** The cloud makes up the id of what the first one creates, and the others import that. */
  vpc: ({ name, imports }: Said) => ({
    apiVersion: "ec2.aws.upbound.io/v1beta1",
    kind: "VPC",
    ...(imports ? externallyNamed(name) : { metadata: {} }),
    spec: { forProvider: REGION },
  }),
} satisfies Record<string, (said: Said) => JsonObject>;
export type DeclaredKind = keyof typeof KINDS;

export const annotationsOf = (object: JsonObject | undefined): JsonObject =>
  objectIn(metadataOf(object ?? {}), "annotations");

/** The same managed resource, for another cloud resource. */
export function toForged(object: JsonObject): JsonObject {
  const { deletionTimestamp: _, ...rest } = metadataOf(object);
  const annotations = { ...annotationsOf(object), [EXTERNAL_NAME_KEY]: "forged", [TAKE_OWNERSHIP]: "9999" };
  const spec = { ...objectIn(object, "spec"), forProvider: { bucket: "forged" }, managementPolicies: ["*"] };
  return { ...object, metadata: { ...rest, annotations, uid: `0-${String(rest["uid"])}` }, spec };
}

/** Reads the name that the cloud has made up, as the XR's function desires it. */
export const readCloudName = (applied: JsonObject | undefined): string | undefined =>
  applied?.["kind"] === ASSOCIATION ? (annotationsOf(applied)[EXTERNAL_NAME_KEY] as string | undefined) : undefined;

/** The cloud resource that a managed resource stands for. */
export function nameOf({ applied, putBack }: Managed): Name {
  const name = putBack[EXTERNAL_NAME_KEY] ?? annotationsOf(applied)[EXTERNAL_NAME_KEY];
  return NAMES.find((known) => known === name) ?? "orders";
}

export const hasTags = (applied: JsonObject | undefined): boolean =>
  Object.keys(objectIn(objectIn(objectIn(applied ?? {}, "spec"), "forProvider"), "tags")).length > 0;

export const identityOf = ({ applied }: Managed) => objectIn(metadataOf(applied ?? {}), "labels")[IDENTITY_LABEL];

/** Tells whether it created the cloud resource, and gave up Delete without a successor. */
export function isFollowed({ applied }: Managed): boolean {
  const { [ORIGIN]: origin, [CONTENDERS]: successors } = annotationsOf(applied);
  return origin === "Created" && successors === undefined && !may(applied, "Delete") && may(applied, "Update");
}

export const isWriter = ({ isDeleting, applied }: Managed): boolean => !isDeleting && may(applied, "Update");

/** Tells whether a managed resource becomes a writer of what its provider has not looked for. */
export const isBlind = (before: Managed, after: Managed): boolean =>
  !isWriter(before) && isWriter(after) && before.foundName !== nameOf(after);

/** A managed resource as the API server shows it. */
export function observed(
  managed: Managed & { readonly applied: JsonObject },
  { cluster }: CloudResource,
  reportsGeneration: boolean,
): JsonObject {
  const { xr, resource, uid, createdAt, isDeleting, isOrphan, isPaused, take, applied, cloudCreatedAt } = managed;
  const { begun, version, generation, putBack, cloudName } = managed;
  const metadata = metadataOf(applied);
  const spec = objectIn(applied, "spec");
  const forProvider = { ...readFilled(managed), ...objectIn(spec, "forProvider") };
  return {
    ...applied,
    metadata: {
      ...metadata,
      name: keyOf(managed),
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
        "crossplane.io/composition-resource-name": resource,
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

/** The fields that its provider has filled in. */
const readFilled = ({ applied, isFilled, isResolved }: Managed): JsonObject => ({
  ...(isFilled && { tags: FILLED }),
  ...(isResolved && RESOLVED[String(applied?.["kind"])]),
});

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
