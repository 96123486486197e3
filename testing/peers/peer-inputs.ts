import fc from "fast-check";
import { given } from "../../cli/migrate/translate.ts";
import { ENVIRONMENT } from "../../src/features/value.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";

/** An input of another function, and what it works on. */
export interface PeerInput {
  readonly input: JsonObject;
  readonly xr: JsonObject;
  readonly cluster?: readonly JsonObject[];
  readonly desired?: Readonly<Record<string, JsonObject>>;
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly context?: JsonObject;
}

/*
 * What people may write for function-extra-resources, function-environment-configs and function-tag-manager. Left out is where this
 * function differs on purpose (docs/cli.md), and where theirs depends on the order of a Go map: configs merged
 * at paths of which one leads through another, and ties of what they are sorted by, which names decide here.
 */

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const of = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const LABELS = ["type", "tier"] as const;
const LABEL_VALUES = ["cluster", "other", "gold"] as const;
const NAMES = ["a", "b", "c", "none"] as const;

const tagKey = of("team", "tier", "cost", "Name", "a.b", "Cost Center");
const tagMap = fc.dictionary(tagKey, of("x", "y", "z", "R&D / 42"), { maxKeys: 4, noNullPrototype: true });
const keys = fc.array(tagKey, { maxLength: 3 });

const metadata = { name: "example-xr", uid: "1" };
const xr: fc.Arbitrary<JsonObject> = fc
  .record({ label: maybe(of<JsonValue>(...LABEL_VALUES, {})), tags: maybe(tagMap), keys: maybe(keys) })
  .map((spec) => ({ apiVersion: "example.crossplane.io/v1", kind: "XR", metadata, spec: given(spec) }));

const matcher: fc.Arbitrary<JsonObject> = fc
  .record({
    key: of(...LABELS),
    type: of("Value", "FromCompositeFieldPath", undefined),
    value: of(...LABEL_VALUES),
    valueFromFieldPath: of("spec.label", "spec.none"),
    fromFieldPathPolicy: of("Required", "Optional", undefined),
  })
  .map(({ type, key, value, ...from }) => (type === "Value" ? { type, key, value } : given({ type, key, ...from })));

const matchers = fc.uniqueArray(matcher, { minLength: 1, maxLength: 2, selector: ({ key }) => key });

const limits = {
  minMatch: maybe(fc.nat(3)),
  maxMatch: maybe(fc.integer({ min: 1, max: 3 })),
  sortByFieldPath: of(undefined, "metadata.name", "spec.rank", "metadata.labels.tier"),
};

const label = of(...LABEL_VALUES);

/** Resources with two labels, and a field to sort by that all have, in numbers or texts. */
const inCluster = (kind: string, apiVersion: string, data: fc.Arbitrary<JsonObject>) =>
  fc.tuple(fc.subarray(["a", "b", "c"]), of("numbers", "texts")).chain(([names, ranks]) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record({ type: label, tier: label, rank: fc.integer({ min: -2, max: 12 }), data }).map(
          ({ rank, data: more, ...labels }): JsonObject => ({
            apiVersion,
            kind,
            metadata: { name, labels },
            spec: { rank: ranks === "numbers" ? rank : String(rank) },
            ...more,
          }),
        ),
      ),
    ),
  );

const policy = maybe(of("Required", "Optional").map((resolution): JsonObject => ({ resolution })));

export const extraResourcesInputs: fc.Arbitrary<PeerInput> = fc
  .record({
    xr,
    cluster: inCluster("XCluster", "example.crossplane.io/v1", fc.constant({})),
    policy,
    context: maybe(of<JsonObject>({ key: "mine" })),
    extraResources: fc.uniqueArray(
      fc
        .record({
          type: of("Reference", "Selector", undefined),
          into: of("XCluster", "a", "Cluster_1", "x.y"),
          name: of(...NAMES),
          selector: fc.record({ matchLabels: matchers, ...limits }).map(given),
        })
        .map(
          ({ type, into, name, selector }): JsonObject =>
            given({
              type,
              into,
              apiVersion: "example.crossplane.io/v1",
              kind: "XCluster",
              ...(type === "Selector" ? { selector } : { ref: { name } }),
            }),
        ),
      { maxLength: 3, selector: ({ into }) => into },
    ),
  })
  .map(({ xr: composite, cluster, ...spec }) => ({
    input: { apiVersion: "extra-resources.fn.crossplane.io/v1beta1", kind: "Input", spec: given(spec) },
    xr: composite,
    cluster,
  }));

/** Objects of texts, numbers and lists, as an environment holds them. */
const environment: fc.Arbitrary<JsonObject> = fc.dictionary(
  of("region", "complex", "list"),
  of<JsonValue>("eu", "us", 3, true, [1], ["a", "b"], { a: "b" }, { a: { d: "e" }, z: "1" }, {}),
  { maxKeys: 3, noNullPrototype: true },
);

export const environmentConfigsInputs: fc.Arbitrary<PeerInput> = fc
  .record({
    xr,
    cluster: inCluster("EnvironmentConfig", "apiextensions.crossplane.io/v1beta1", fc.record({ data: environment })),
    before: maybe(environment),
    policy,
    defaultData: maybe(environment),
    environmentConfigs: fc.array(
      fc
        .record({
          type: of("Reference", "Selector", undefined),
          name: of(...NAMES),
          toFieldPath: of(undefined, "nested", "other.in"),
          selector: fc
            .record({ mode: of("Single", "Multiple", undefined), matchLabels: matchers, ...limits })
            .map(given),
        })
        .map(({ type, name, toFieldPath, selector }) =>
          given({ type, toFieldPath, ...(type === "Selector" ? { selector } : { ref: { name } }) }),
        ),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ xr: composite, cluster, before, ...spec }) => ({
    input: { apiVersion: "environmentconfigs.fn.crossplane.io/v1beta1", kind: "Input", spec: given(spec) },
    xr: composite,
    cluster,
    context: before === undefined ? {} : { [ENVIRONMENT]: before },
  }));

const source = {
  type: of("FromValue", "FromCompositeFieldPath", "FromEnvironmentFieldPath", undefined),
  policy: of("Replace", "Retain", undefined),
};

const entry = (field: "tags" | "keys", value: fc.Arbitrary<JsonValue>, place: string): fc.Arbitrary<JsonObject> =>
  fc
    .record({ ...source, value, fromFieldPath: of(`spec.${place}`, "spec.none") })
    .map(({ type, policy: wins, value: literal, fromFieldPath }) =>
      given({
        type,
        policy: wins,
        ...(type === undefined || type === "FromValue"
          ? { [field]: literal }
          : { fromFieldPath: type === "FromCompositeFieldPath" ? fromFieldPath : fromFieldPath.replace("spec.", "") }),
      }),
    );

const WITHOUT_TAGS = [
  { apiVersion: "iam.aws.upbound.io/v1beta1", kind: "RolePolicyAttachment" },
  { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" },
];

const KINDS: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC" },
  { apiVersion: "ec2.aws.m.upbound.io/v1beta1", kind: "Subnet" },
  { apiVersion: "azure.upbound.io/v1beta1", kind: "ResourceGroup" },
  { apiVersion: "storage.gcp.upbound.io/v1beta1", kind: "Bucket" },
  ...WITHOUT_TAGS,
];

/** Only what has the field has tags. */
const resource = fc
  .record({ kind: of(...KINDS), desired: maybe(tagMap), observed: maybe(tagMap) })
  .map((one) => (WITHOUT_TAGS.includes(one.kind) ? { ...one, desired: undefined, observed: undefined } : one));

const removal = entry("keys", keys, "keys").map(({ policy: _, ...fields }) => fields);
/** One of them at most is from a field: of several function-tag-manager takes the last. */
const removed = fc
  .array(removal, { maxLength: 2 })
  .filter((entries) => entries.filter(({ fromFieldPath }) => fromFieldPath !== undefined).length <= 1);

export const tagManagerInputs: fc.Arbitrary<PeerInput> = fc
  .record({
    xr,
    addTags: maybe(fc.array(entry("tags", tagMap, "tags"), { maxLength: 3 })),
    ignoreTags: maybe(fc.array(entry("keys", keys, "keys"), { maxLength: 2 })),
    removeTags: maybe(removed),
    environment: maybe(fc.record({ tags: tagMap, keys })),
    resources: fc.array(resource, { minLength: 1, maxLength: 2 }),
  })
  .map(({ xr: composite, environment: before, resources, ...fields }) => ({
    input: { apiVersion: "tag-manager.fn.crossplane.io/v1beta1", kind: "ManagedTags", ...given(fields) },
    xr: composite,
    context: before === undefined ? {} : { [ENVIRONMENT]: before },
    desired: named(
      resources.map(({ kind, desired }) => ({ ...kind, spec: { forProvider: given({ tags: desired }) } })),
    ),
    observed: named(
      resources.map(({ kind, observed }) => ({
        ...kind,
        metadata: { name: "example", uid: "2" },
        spec: { forProvider: given({ tags: observed }) },
        status: { atProvider: given({ tags: observed }) },
      })),
    ),
  }));

const named = (objects: readonly JsonObject[]): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(objects.map((object, index) => [`resource-${index}`, object]));
