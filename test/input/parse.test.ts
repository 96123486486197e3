import { describe, expect, test } from "vitest";
import { parseInput } from "../../src/input/parse.ts";
import { API_VERSION, KIND } from "../../src/input/schema.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { inputOf, shared } from "../../testing/builders/sharing.ts";

/** The faults of an input, a line each. */
function faultsOf(input: JsonObject): readonly string[] {
  try {
    parseInput(input);
    return [];
  } catch (error) {
    const [heading, ...faults] = error instanceof Error ? error.message.split("\n") : [];
    expect(heading).toBe("cannot use the input:");
    return faults.map((fault) => fault.trim());
  }
}

const connection = (copy: JsonObject): JsonObject => ({ copies: [{ secretName: { value: "db" }, ...copy }] });

describe("an input", () => {
  test.each<{ spec: JsonValue; faults: readonly string[] }>([
    { spec: {}, faults: [] },
    { spec: { sharedResources: [shared()] }, faults: [] },
  ])("with the spec $spec has no faults", ({ spec, faults }) => {
    expect(faultsOf(inputOf(spec))).toEqual(faults);
  });

  test.each<{ spec: JsonValue; faults: readonly string[] }>([
    { spec: null, faults: ["spec: not an object: null"] },
    { spec: { sharedResources: {} }, faults: ["spec.sharedResources: not an array: {}"] },
    { spec: { colour: "red" }, faults: ["spec.colour: unknown field"] },
    { spec: { sharedResorces: [] }, faults: ["spec.sharedResorces: unknown field; did you mean sharedResources?"] },
    {
      spec: {
        sharedResources: [shared({ connection: connection({ keys: [{ form: "a", to: "b" }], secretname: {} }) })],
      },
      faults: [
        "spec.sharedResources[0].connection.copies[0].keys[0].form: unknown field; did you mean from?",
        "spec.sharedResources[0].connection.copies[0].keys[0]: exactly one of from, value; found none",
        "spec.sharedResources[0].connection.copies[0].secretname: unknown field; did you mean secretName?",
      ],
    },
    {
      spec: { tags: { preserve: ["a", { vlaue: ["b"] }] } },
      faults: [
        "spec.tags.preserve[1].vlaue: unknown field; did you mean value?",
        "spec.tags.preserve[1]: exactly one of value, fromCompositeFieldPath, fromEnvironmentFieldPath; found none",
      ],
    },
    { spec: { "a.b": 1 }, faults: ["spec[a.b]: unknown field"] },
    { spec: JSON.parse('{"__proto__": {"x": 1}}'), faults: ["spec.__proto__: unknown field"] },
    {
      spec: { sharedResources: [shared({ kind: 7 as never })] },
      faults: ["spec.sharedResources[0].kind: not a string: 7"],
    },
    {
      spec: { sharedResources: [shared({ select: {} })] },
      faults: ["spec.sharedResources[0].select: exactly one of name, matchLabels, self; found none"],
    },
    {
      spec: { sharedResources: [shared({ select: { name: { value: "a", fromCompositeFieldPath: "spec.a" } } })] },
      faults: [
        "spec.sharedResources[0].select.name: exactly one of value, fromCompositeFieldPath, fromEnvironmentFieldPath; " +
          "found value and fromCompositeFieldPath",
      ],
    },
    {
      spec: { sharedResources: [shared({ name: "Orders_DB" })] },
      faults: ["spec.sharedResources[0].name: not a DNS label: lower case letters, digits and '-', at most 63"],
    },
    {
      spec: {
        sharedResources: [
          shared(),
          { ...shared({ name: "network", resolution: "Fail" }), connection: undefined as never },
        ],
      },
      faults: [
        "spec.sharedResources: resolution: Fail does not go with connection: a Fatal result keeps copies whatever their owners say",
      ],
    },
    { spec: { sharedResources: [shared(), shared()] }, faults: ['spec.sharedResources: more than one with name "db"'] },
    ...["/v1", "example.org", "example.org/v1/x", "../v1"].map((apiVersion) => ({
      spec: { sharedResources: [shared({ apiVersion, kind: "XPostgres" })] },
      faults: ["spec.sharedResources[0].apiVersion: not an API version, such as example.org/v1"],
    })),
    ...["v1", "apps/v1", "gateway.networking.k8s.io/v1"].map((apiVersion) => ({
      spec: { sharedResources: [shared({ apiVersion, kind: "ConfigMap" })] },
      faults: [
        "spec.sharedResources[0].grant: Annotation does not go with connection for a kind of Kubernetes itself: no controller " +
          "vouches for the Secret that it names, so anyone who can edit it could share any Secret; use ReferenceGrant or None",
      ],
    })),
    {
      spec: { sharedResources: [{ ...shared({ grant: "ReferenceGrant" }), connection: undefined }] },
      faults: [
        "spec.sharedResources[0].grant: ReferenceGrant needs connection: it grants access to the connection Secret",
      ],
    },
    {
      spec: { sharedResources: [shared({ select: { name: { value: "orders" }, namespace: { value: "*" } } })] },
      faults: ['spec.sharedResources[0].select.namespace: "*" goes with matchLabels'],
    },
    {
      spec: { sharedResources: [shared({ apiVersion: "v1", kind: "Secret" })] },
      faults: [
        "spec.sharedResources[0].kind: a Secret cannot be shared by itself, since nobody could grant it: select the resource " +
          "that writes it",
      ],
    },
    {
      spec: { sharedResources: [shared({ patches: [{ fromFieldPath: "a..b", toCompositeFieldPath: "spec.x" }] })] },
      faults: [
        'spec.sharedResources[0].patches[0].fromFieldPath: not a field path: "a..b", at position 1',
        "spec.sharedResources[0].patches[0].toCompositeFieldPath: not below status: a function can set nothing else of the XR",
      ],
    },
    {
      spec: { sharedResources: [shared({ connection: { copies: [] } })] },
      faults: ["spec.sharedResources[0].connection.copies: an empty list"],
    },
    {
      spec: { sharedResources: [shared({ connection: connection({ via: "Copy" }) })] },
      faults: [
        "spec.sharedResources[0].connection.copies[0].via: not one of Object, ConnectionSecret, ObjectWithValues, Secret: " +
          '"Copy"',
      ],
    },
    {
      spec: { sharedResources: [shared({ connection: connection({ providerConfigRef: { kind: "X" } }) })] },
      faults: [
        "spec.sharedResources[0].connection.copies[0].providerConfigRef.kind: not one of ProviderConfig, " +
          'ClusterProviderConfig: "X"',
      ],
    },
    {
      spec: { sharedResources: [shared({ connection: connection({ namespaces: { value: 3 } }) })] },
      faults: ["spec.sharedResources[0].connection.copies[0].namespaces.value: not what is allowed here: a number"],
    },
    {
      spec: {
        sharedResources: [
          shared({
            connection: connection({
              keys: [
                { from: "a", to: "x" },
                { from: "b", to: "x" },
                { from: "", to: "a b" },
              ],
            }),
          }),
        ],
      },
      faults: [
        "spec.sharedResources[0].connection.copies[0].keys[2].from: empty",
        "spec.sharedResources[0].connection.copies[0].keys[2].to: not a Secret's key",
        'spec.sharedResources[0].connection.copies[0].keys: more than one with to "x"',
      ],
    },
    {
      spec: {
        sharedResources: [
          shared({
            connection: connection({
              keys: [
                { from: "a", to: { fromCompositeFieldPath: "spec..key" } },
                { from: "b", to: { value: "a b" } },
                { from: "c", to: { value: "x" } },
                { from: "d", to: "x" },
                { from: "e", to: 7 },
              ],
            }),
          }),
        ],
      },
      faults: [
        'spec.sharedResources[0].connection.copies[0].keys[0].to.fromCompositeFieldPath: not a field path: "spec..key", at position 4',
        "spec.sharedResources[0].connection.copies[0].keys[1].to.value: not a Secret's key",
        "spec.sharedResources[0].connection.copies[0].keys[4].to: not what is allowed here: 7",
        'spec.sharedResources[0].connection.copies[0].keys: more than one with to "x"',
      ],
    },
    {
      spec: {
        publish: {
          environmentConfig: {
            name: { value: "orders" },
            data: [
              { value: 1, toFieldPath: "db.ports[0]" },
              { value: 2, toFieldPath: "db['ports'][0]" },
            ],
          },
        },
      },
      faults: ['spec.publish.environmentConfig.data: more than one with toFieldPath "db.ports[0]"'],
    },
    {
      spec: {
        sharedResources: [
          shared({ connection: connection({ annotations: { "shared-infrastructure.fn.crossplane.io/owner": "me" } }) }),
        ],
      },
      faults: [
        "spec.sharedResources[0].connection.copies[0].annotations: annotations under shared-infrastructure.fn.crossplane.io/ " +
          "are this function's own",
      ],
    },
    {
      spec: { responseTTL: "x".repeat(60) },
      faults: [`spec.responseTTL: not a duration: "${"x".repeat(60)}" (for example 60s, 5m, 1h30m)`],
    },
    {
      spec: { consumers: { credentials: { template: { kind: "Role" } }, grant: "None" } },
      faults: [
        "spec.consumers.credentials.template.apiVersion: required",
        "spec.consumers.credentials.template: the same for each namespace: use {namespace} or {hash} in one of its texts",
        "spec.consumers.list: required with credentials: it tells consumers which Secret is theirs",
        "spec.consumers.grant: None names no namespaces to make credentials for",
      ],
    },
    {
      spec: {
        consumers: {
          list: { toCompositeFieldPath: "status.consumers" },
          credentials: {
            template: { apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: "{namespace}" } },
          },
          kinds: ["Role"],
        },
      },
      faults: [
        'spec.consumers.kinds[0]: not one of Object, NamespacedObject, Secret: "Role"',
        "spec.consumers.credentials.template.metadata.name: the same for each namespace: use {namespace} or {hash} in it, " +
          "or leave the name to Crossplane",
      ],
    },
    {
      spec: {
        sharedResources: [
          shared({
            grant: "ReferenceGrant",
            connection: { copies: [{ secretName: { value: "db" } }], secretRef: { perConsumer: true } },
          }),
        ],
      },
      faults: [
        "spec.sharedResources[0].grant: ReferenceGrant does not go with perConsumer: credentials are made for the namespaces that " +
          "annotations grant",
      ],
    },
  ])("is refused with $faults", ({ spec, faults }) => {
    expect(faultsOf(inputOf(spec))).toEqual(faults);
  });

  test.each([
    { input: {}, faults: ["apiVersion: required", "kind: required", "spec: required"] },
    { input: { apiVersion: "v1", kind: KIND, spec: {} }, faults: [`apiVersion: not ${API_VERSION}: "v1"`] },
    {
      input: { apiVersion: API_VERSION, kind: "x".repeat(60), spec: {} },
      faults: [`kind: not Input: "${"x".repeat(38)}…`],
    },
    { input: { ...inputOf({}), metadata: { name: "anything", labels: {} } }, faults: [] },
  ])("that is the object $input has the faults $faults", ({ input, faults }) => {
    expect(faultsOf(input as unknown as JsonObject)).toEqual(faults);
  });

  test("is refused with all its faults at once", () => {
    const broken = shared({ name: "-", colour: 1, select: {}, connection: { copies: [{ secretName: {} }] } });
    expect(faultsOf(inputOf({ responseTTL: "soon", sharedResources: [broken] }))).toEqual([
      'spec.responseTTL: not a duration: "soon" (for example 60s, 5m, 1h30m)',
      "spec.sharedResources[0].name: not a DNS label: lower case letters, digits and '-', at most 63",
      "spec.sharedResources[0].select: exactly one of name, matchLabels, self; found none",
      "spec.sharedResources[0].connection.copies[0].secretName: exactly one of value, fromCompositeFieldPath, " +
        "fromEnvironmentFieldPath; found none",
      "spec.sharedResources[0].colour: unknown field",
    ]);
  });
});

describe("a parsed input", () => {
  test("has all defaults when its spec is empty", () => {
    expect(parseInput(inputOf({})).spec).toEqual({
      responseTTL: 60,
      sharedResources: [],
      contextKey: "shared-infrastructure.fn.crossplane.io/shared-resources",
    });
  });

  test("has the defaults and the parsed paths of a shared resource", () => {
    expect(parseInput(inputOf({ sharedResources: [shared()] })).spec.sharedResources).toEqual([
      {
        name: "db",
        apiVersion: "data.example.org/v1",
        kind: "XPostgres",
        select: {
          namespace: undefined,
          by: "name",
          name: { is: "composite", path: ["spec", "parameters", "database"] },
        },
        resolution: "Required",
        grant: "Annotation",
        patches: [],
        connection: {
          secretRef: {
            nameFieldPath: ["spec", "writeConnectionSecretToRef", "name"],
            namespaceFieldPath: ["spec", "writeConnectionSecretToRef", "namespace"],
            perConsumer: false,
            consumersFieldPath: ["status", "consumers"],
          },
          onSourceMissing: "Keep",
          copies: [
            {
              secretName: { is: "literal", value: "orders-db" },
              via: "Object",
              type: "Opaque",
              labels: {},
              annotations: {},
              providerConfigRef: { name: "default", kind: "ClusterProviderConfig" },
            },
          ],
        },
      },
    ]);
  });

  test.each([
    { text: "60s", seconds: 60 },
    { text: "5m", seconds: 300 },
    { text: "1h30m", seconds: 5400 },
    { text: "1h0m1s", seconds: 3601 },
    { text: "0s", seconds: 0 },
  ])("has the duration $text as $seconds seconds", ({ text, seconds }) => {
    expect(parseInput(inputOf({ responseTTL: text })).spec.responseTTL).toBe(seconds);
  });

  test.each(["", "60", "1.5s", "-1s", "1s1m", "1d"])("cannot have the duration %j", (text) => {
    expect(faultsOf(inputOf({ responseTTL: text }))).toHaveLength(1);
  });
});

describe("an input with tags", () => {
  const cluster = "spec.tags.owner.cluster.value: not a DNS label: lower case letters, digits and '-', at most 63";
  test.each<{ tags: JsonValue; faults: readonly string[] }>([
    { tags: {}, faults: [] },
    {
      tags: { add: [{ key: "a", value: "b" }, { value: { a: "b" } }], preserve: ["aws:*"], remove: ["a"] },
      faults: [],
    },
    { tags: { preserve: [{ fromCompositeFieldPath: "spec.keys", policy: "Retain" }] }, faults: [] },
    {
      tags: { add: [{ key: "a", value: { b: "c" } }] },
      faults: ["spec.tags.add[0].value: a text where there is a key, a map of texts where there is none"],
    },
    {
      tags: { add: [{ value: "b" }] },
      faults: ["spec.tags.add[0].value: a text where there is a key, a map of texts where there is none"],
    },
    {
      tags: { add: [{ key: "a" }] },
      faults: ["spec.tags.add[0]: exactly one of value, fromCompositeFieldPath, fromEnvironmentFieldPath; found none"],
    },
    { tags: { resources: [] }, faults: ["spec.tags.resources: an empty list"] },
    {
      tags: { owner: { onConflict: "Fight", cluster: { value: "Prod EU" } } },
      faults: [cluster, 'spec.tags.owner.onConflict: not one of Observe, Withhold, Fail: "Fight"'],
    },
  ])("$tags has the faults $faults", ({ tags, faults }) => {
    expect(faultsOf(inputOf({ tags }))).toEqual(faults);
  });
});
