import type fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import {
  environmentConfigsInputs,
  extraResourcesInputs,
  type PeerInput,
  tagManagerInputs,
} from "../../../testing/peers/peer-inputs.ts";
import type { PlainResponse } from "../../../testing/wire/plain.ts";

interface PeerCase extends PeerInput {
  readonly name: string;
  /** Both stop the XR. */
  readonly isFatal?: boolean;
}

interface Peer {
  /** Names the function's binary. */
  readonly variable: string;
  readonly cases: readonly PeerCase[];
  /** Others that people may write. */
  readonly inputs: fc.Arbitrary<PeerInput>;
  /** What has to be the same. */
  readonly outcomeOf: (response: PlainResponse) => unknown;
}

const xr = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: "example.crossplane.io/v1",
  kind: "XR",
  metadata: { name: "example-xr", uid: "1" },
  spec,
});

const environmentConfig = (name: string, labels: JsonObject, data: JsonObject): JsonObject => ({
  apiVersion: "apiextensions.crossplane.io/v1beta1",
  kind: "EnvironmentConfig",
  metadata: { name, labels },
  data,
});

const cluster = (name: string, labels: JsonObject): JsonObject => ({
  apiVersion: "example.crossplane.io/v1",
  kind: "XCluster",
  metadata: { name, labels },
  spec: { region: "eu" },
});

const labelled = (key: string, value: string): JsonObject => ({ key, type: "Value", value });

const extraResources = (spec: JsonObject): JsonObject => ({
  apiVersion: "extra-resources.fn.crossplane.io/v1beta1",
  kind: "Input",
  spec,
});

const clusters = (selector: JsonObject): JsonObject => ({
  kind: "XCluster",
  into: "XCluster",
  apiVersion: "example.crossplane.io/v1",
  type: "Selector",
  selector,
});

const found = [
  cluster("net-staging-green", { type: "cluster" }),
  cluster("net-staging-blue", { type: "cluster" }),
  cluster("other", { type: "other" }),
  environmentConfig("test-x1", { type: "cluster" }, { realName: "test-x1" }),
];

// From github.com/crossplane-contrib/function-extra-resources, README.md and example/.
const extraResourcesCases: readonly PeerCase[] = [
  {
    name: "the README's selector",
    input: extraResources({
      extraResources: [clusters({ maxMatch: 2, minMatch: 1, matchLabels: [labelled("type", "cluster")] })],
    }),
    xr: xr(),
    cluster: found,
  },
  {
    name: "the example's two selectors",
    input: extraResources({
      extraResources: [
        {
          kind: "EnvironmentConfig",
          into: "envConfs",
          apiVersion: "apiextensions.crossplane.io/v1beta1",
          type: "Selector",
          selector: { maxMatch: 2, minMatch: 1, matchLabels: [labelled("type", "cluster")] },
        },
        clusters({ maxMatch: 1, minMatch: 1, matchLabels: [labelled("type", "cluster")] }),
      ],
    }),
    xr: xr(),
    cluster: found,
  },
  {
    name: "a selector without a match is an empty list",
    input: extraResources({
      policy: { resolution: "Optional" },
      context: { key: "mine" },
      extraResources: [clusters({ matchLabels: [labelled("type", "none")] })],
    }),
    xr: xr(),
    cluster: found,
  },
  {
    name: "references, one of them optional and missing",
    input: extraResources({
      policy: { resolution: "Optional" },
      extraResources: [
        { kind: "XCluster", into: "Cluster_1", apiVersion: "example.crossplane.io/v1", ref: { name: "other" } },
        { kind: "XCluster", into: "none", apiVersion: "example.crossplane.io/v1", ref: { name: "missing" } },
      ],
    }),
    xr: xr(),
    cluster: found,
  },
  {
    name: "references that are all optional and missing leave an empty object",
    input: extraResources({
      policy: { resolution: "Optional" },
      extraResources: [
        { kind: "XCluster", into: "none", apiVersion: "example.crossplane.io/v1", ref: { name: "missing" } },
      ],
    }),
    xr: xr(),
  },
  {
    name: "a reference that is missing stops the XR",
    input: extraResources({
      extraResources: [
        { kind: "XCluster", into: "none", apiVersion: "example.crossplane.io/v1", ref: { name: "none" } },
      ],
    }),
    xr: xr(),
    isFatal: true,
  },
  {
    name: "and so do too few matches, whatever the policy for references",
    input: extraResources({
      policy: { resolution: "Optional" },
      extraResources: [clusters({ minMatch: 1, matchLabels: [labelled("type", "none")] })],
    }),
    xr: xr(),
    cluster: found,
    isFatal: true,
  },
];

const environmentConfigs = (spec: JsonObject): JsonObject => ({
  apiVersion: "environmentconfigs.fn.crossplane.io/v1beta1",
  kind: "Input",
  spec,
});

const configs = [
  environmentConfig("example-config", {}, { complex: { a: "b", c: { d: "e", f: "1" } } }),
  environmentConfig("multiple-1", { matchingLabel: "matchingKey" }, { multiple: { c: { d: "e" }, x: "1" } }),
  environmentConfig("multiple-2", { matchingLabel: "matchingKey" }, { multiple: { i: { j: "k" }, x: "2" } }),
];

// From github.com/crossplane-contrib/function-environment-configs, examples/.
const environmentConfigsCases: readonly PeerCase[] = [
  {
    name: "reference_name",
    input: environmentConfigs({ environmentConfigs: [{ type: "Reference", ref: { name: "example-config" } }] }),
    xr: xr(),
    cluster: configs,
  },
  {
    name: "match_label_multiple",
    input: environmentConfigs({
      environmentConfigs: [
        { type: "Selector", selector: { mode: "Multiple", matchLabels: [labelled("matchingLabel", "matchingKey")] } },
      ],
    }),
    xr: xr(),
    cluster: configs,
  },
  {
    name: "a single match under a path, over defaults, with an optional reference that is missing",
    input: environmentConfigs({
      defaultData: { region: "eu", complex: { a: "default", z: "kept" } },
      policy: { resolution: "Optional" },
      environmentConfigs: [
        { type: "Reference", ref: { name: "missing" } },
        { ref: { name: "example-config" }, toFieldPath: "nested" },
      ],
    }),
    xr: xr(),
    cluster: configs,
    context: { "apiextensions.crossplane.io/environment": { region: "us", complex: { a: "earlier" } } },
  },
  {
    name: "a list between two objects hides no default",
    input: environmentConfigs({
      defaultData: { complex: { z: "kept" } },
      environmentConfigs: [{ ref: { name: "example-config" } }],
    }),
    xr: xr(),
    cluster: configs,
    context: { "apiextensions.crossplane.io/environment": { complex: [1] } },
  },
  {
    name: "a reference that is missing stops the XR",
    input: environmentConfigs({ environmentConfigs: [{ ref: { name: "missing" } }] }),
    xr: xr(),
    isFatal: true,
  },
  {
    name: "and so does a selector that finds none, whatever the policy for references",
    input: environmentConfigs({
      policy: { resolution: "Optional" },
      environmentConfigs: [{ type: "Selector", selector: { matchLabels: [labelled("matchingLabel", "none")] } }],
    }),
    xr: xr(),
    cluster: configs,
    isFatal: true,
  },
  {
    name: "several that need not be there leave an empty environment",
    input: environmentConfigs({
      environmentConfigs: [
        { type: "Selector", selector: { mode: "Multiple", matchLabels: [labelled("matchingLabel", "none")] } },
      ],
    }),
    xr: xr(),
    cluster: configs,
  },
  {
    name: "an optional label that is not set selects nothing",
    input: environmentConfigs({
      environmentConfigs: [
        { ref: { name: "example-config" } },
        {
          type: "Selector",
          selector: {
            matchLabels: [
              {
                key: "matchingLabel",
                type: "FromCompositeFieldPath",
                valueFromFieldPath: "spec.label",
                fromFieldPathPolicy: "Optional",
              },
            ],
          },
        },
      ],
    }),
    xr: xr(),
    cluster: configs,
  },
];

const managedTags = (fields: JsonObject): JsonObject => ({
  apiVersion: "tag-manager.fn.crossplane.io/v1beta1",
  kind: "ManagedTags",
  ...fields,
});

const vpc = {
  apiVersion: "ec2.aws.upbound.io/v1beta1",
  kind: "VPC",
  spec: { forProvider: { region: "eu-central-1", tags: { before: "x", fromValue2: "before" } } },
};

// From github.com/crossplane-contrib/function-tag-manager, README.md and examples/configuration-aws-network.
const tagManagerCases: readonly PeerCase[] = [
  {
    name: "configuration-aws-network",
    input: managedTags({
      addTags: [
        { type: "FromValue", policy: "Replace", tags: { fromValue: "tagFromValue", fromValue2: "tagFromValue2" } },
        { type: "FromCompositeFieldPath", fromFieldPath: "spec.parameters.additionalTags", policy: "Replace" },
        { type: "FromCompositeFieldPath", fromFieldPath: "spec.parameters.optionalTags", policy: "Retain" },
      ],
      removeTags: [
        { type: "FromValue", keys: ["fromValue2"] },
        { type: "FromCompositeFieldPath", fromFieldPath: "spec.parameters.removeTags" },
      ],
    }),
    xr: xr({
      parameters: { additionalTags: { team: "a" }, optionalTags: { before: "y", new: "z" }, removeTags: ["gone"] },
    }),
    desired: { vpc },
  },
  {
    name: "the README's environment",
    input: managedTags({ addTags: [{ type: "FromEnvironmentFieldPath", fromFieldPath: "tags" }] }),
    xr: xr(),
    desired: { vpc },
    context: { "apiextensions.crossplane.io/environment": { tags: { before: "environment", more: "1" } } },
  },
  {
    name: "several of one key without a policy, over a tag that is there",
    input: managedTags({
      addTags: [
        { type: "FromValue", tags: { before: "first", team: "first" } },
        { type: "FromCompositeFieldPath", fromFieldPath: "spec.parameters.tags" },
        { tags: { team: "last", tier: "last" } },
        { type: "FromCompositeFieldPath", fromFieldPath: "spec.parameters.notThere" },
      ],
    }),
    xr: xr({ parameters: { tags: { before: "second", tier: "second" } } }),
    desired: { vpc },
  },
  {
    name: "what another cloud or Kubernetes would refuse, beside resources of theirs",
    input: managedTags({ addTags: [{ type: "FromValue", tags: { "Cost Center": "R&D / 42" } }] }),
    xr: xr(),
    desired: {
      vpc,
      group: {
        apiVersion: "azure.upbound.io/v1beta1",
        kind: "ResourceGroup",
        spec: { forProvider: { location: "eu" } },
      },
      bucket: {
        apiVersion: "storage.gcp.upbound.io/v1beta1",
        kind: "Bucket",
        spec: { forProvider: { location: "EU" } },
      },
      object: {
        apiVersion: "kubernetes.crossplane.io/v1alpha2",
        kind: "Object",
        spec: { forProvider: { manifest: {} } },
      },
    },
  },
];

const contextOf =
  (...keys: readonly string[]) =>
  ({ context = {} }: PlainResponse): unknown =>
    Object.fromEntries(keys.map((key) => [key, context[key]]));

const tagsOf = ({ desired }: PlainResponse): Readonly<Record<string, JsonValue | undefined>> =>
  Object.fromEntries(
    [...desired.resources].map(([name, { object }]) => {
      const { forProvider } = object["spec"] as { readonly forProvider: JsonObject };
      return [name, orNothing(forProvider["tags"])];
    }),
  );

/** function-tag-manager writes null where there are no tags. */
const orNothing = (tags: JsonValue | undefined): JsonValue | undefined =>
  Object.keys(tags ?? {}).length === 0 ? undefined : tags;

export const byPeer: readonly Peer[] = [
  {
    variable: "PEER_EXTRA_RESOURCES",
    cases: extraResourcesCases,
    inputs: extraResourcesInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/extra-resources", "mine"),
  },
  {
    variable: "PEER_ENVIRONMENT_CONFIGS",
    cases: environmentConfigsCases,
    inputs: environmentConfigsInputs,
    outcomeOf: contextOf("apiextensions.crossplane.io/environment"),
  },
  { variable: "PEER_TAG_MANAGER", cases: tagManagerCases, inputs: tagManagerInputs, outcomeOf: tagsOf },
];
