import { describe, expect, test } from "vitest";
import { parseInput } from "../../src/input/parse.ts";
import { INPUT_API_VERSION, INPUT_KIND } from "../../src/input/schema.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { withoutCopies } from "../../testing/builders/copies.ts";
import { fromXr } from "../../testing/builders/shared-database.ts";
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

const row = (spec: JsonValue, ...faults: readonly string[]) => ({ spec, faults });
type Row = ReturnType<typeof row>;

/** Faults of a shared resource, below its path. */
const inShared = (overrides: JsonObject, ...faults: readonly string[]): Row =>
  row({ sharedResources: [shared(overrides)] }, ...faults.map((fault) => `spec.sharedResources[0].${fault}`));

/** Faults of the only shared resource, which makes no copies; each fault has its whole path. */
const inFields = (overrides: JsonObject, ...faults: readonly string[]): Row =>
  row({ sharedResources: [withoutCopies(overrides)] }, ...faults);

/** Faults of how it is selected, each from there on. */
const inSelect = (select: JsonObject, ...faults: readonly string[]): Row =>
  inShared({ select }, ...faults.map((fault) => `select${fault}`));

const connection = (copy: JsonObject): JsonObject => ({ copies: [{ secretName: "db", ...copy }] });

/** Faults of a copy of its Secret, below the copy's path. */
const inCopy = (copy: JsonObject, ...faults: readonly string[]): Row =>
  inShared({ connection: connection(copy) }, ...faults.map((fault) => `connection.copies[0].${fault}`));

/** Faults of credentials that are made like this, below their path. */
const ofCredentials = (credentials: JsonObject, ...faults: readonly string[]): Row =>
  row(
    { consumers: { list: { toCompositeFieldPath: "status.consumers" }, credentials } },
    ...faults.map((fault) => `spec.consumers.credentials.${fault}`),
  );
const connectionSecretWithLabels = { via: "ConnectionSecret", secretName: "a", type: "b", labels: { a: "b" } };
const role = { apiVersion: "sql.example.org/v1", kind: "Role" };

/** One field, written in two ways. */
const PORTS = ["db.ports[0]", "db['ports'][0]"].map((toFieldPath) => ({ value: 1, toFieldPath }));
const ITEM = 'begin each item of a list with "-"';
const DNS_LABEL = "not a DNS label: lower case letters, digits and '-', at most 63 characters";
const fromNetwork = { fromEnvironmentFieldPath: "network.name" };
const FAIL = { owner: { onConflict: "Fail" } };
const VALUE = "spec.tags.add[0].value";
const REVOKED =
  "not allowed with connection or dependents, because a Fatal result would keep copies and dependents after their grant is revoked";
const TRANSFORMS =
  "unknown field: a patch copies a value as it is; to transform one, set toEnvironment, and use function-patch-and-transform in a later step";
const SOURCES = "the fields here are fromCompositeFieldPath, fromEnvironmentFieldPath";
const MEANT_SOURCES = "did you mean fromCompositeFieldPath or fromEnvironmentFieldPath?";
const FIELDS =
  "responseTTL, sharedResources, contextKey, environment, publish, consumers, tags, externalNames, adoption, neverReconciled";
const IN_SPEC = `the fields here are ${FIELDS}`;
const ONE_SOURCE = "exactly one of fromCompositeFieldPath, fromEnvironmentFieldPath; found";

describe("an input", () => {
  test.each([{}, { sharedResources: [shared()] }])("with the spec %j has no faults", (spec) => {
    expect(faultsOf(inputOf(spec))).toEqual([]);
  });

  test.each([
    row(null, `spec: not an object with ${FIELDS}: null`),
    row({ sharedResources: {} }, `spec.sharedResources: not a list but an object with no fields: ${ITEM}`),
    row({ colour: "red" }, `spec.colour: unknown field; ${IN_SPEC}`),
    row({ sharedResorces: [] }, "spec.sharedResorces: unknown field; did you mean sharedResources?"),
    inCopy(
      { keys: [{ form: "a", to: "b" }], secretname: {} },
      "keys[0].form: unknown field; did you mean from?",
      "keys[0]: exactly one of from, value; found none",
      "secretname: unknown field; did you mean secretName?",
    ),
    row(
      { tags: { preserve: ["a", { kyes: ["b"] }] } },
      "spec.tags.preserve[1].keys: required",
      "spec.tags.preserve[1].kyes: unknown field; did you mean keys?",
    ),
    row({ "a.b": 1 }, `spec[a.b]: unknown field; ${IN_SPEC}`),
    row({ sharedResources: { db: {} } }, `spec.sharedResources: not a list but an object with db: ${ITEM}`),
    row(
      { sharedResources: [shared({ connection: { copies: [{ secretName: "a" }], keys: [{ from: "a", to: "b" }] } })] },
      "spec.sharedResources[0].connection.keys: unknown field; did you mean spec.sharedResources[0].connection.copies[].keys?",
    ),
    inCopy({ labels: [] }, "labels: not an object, such as {key: value}: a list"),
    inShared(
      {
        patches: [{ type: "FromCompositeFieldPath", transforms: [], fromFieldPath: "status.a", toFieldPath: "spec.a" }],
      },
      `patches[0].type: ${TRANSFORMS}`,
      `patches[0].transforms: ${TRANSFORMS}`,
      "patches[0].toFieldPath: unknown field; did you mean toCompositeFieldPath?",
      "patches[0]: exactly one of toCompositeFieldPath, toResource; found none",
    ),
    row({ connection: {} }, "spec.connection: unknown field; did you mean spec.sharedResources[].connection?"),
    row(JSON.parse('{"__proto__": {"x": 1}}'), `spec.__proto__: unknown field; ${IN_SPEC}`),
    inShared({ kind: 7 }, "kind: not a string: 7"),
    inSelect(
      { name: { ...fromXr("spec.a"), fromEnvironmentFieldPath: "a" } },
      `.name: ${ONE_SOURCE} fromCompositeFieldPath and fromEnvironmentFieldPath`,
    ),
    inSelect({ name: { value: "a" } }, `.name.value: unknown field; ${SOURCES}`, `.name: ${ONE_SOURCE} none`),
    inSelect(
      { name: { fromFieldPath: "spec.a" } },
      `.name.fromFieldPath: unknown field; ${MEANT_SOURCES}`,
      `.name: ${ONE_SOURCE} none`,
    ),
    row(
      { tags: { add: [{ team: "a" }] } },
      "spec.tags.add[0].value: required",
      "spec.tags.add[0].team: unknown field; the fields here are key, value, onExisting",
    ),
    row(
      { tags: { team: "a" } },
      "spec.tags.team: unknown field; the fields here are add, preserve, remove, resources, ignore, owner",
    ),
    inShared(
      { connection: { copies: [{ name: "a" }] } },
      "connection.copies[0].secretName: required",
      "connection.copies[0].name: unknown field; did you mean secretName?",
    ),
    inCopy({ keys: ["a"] }, 'keys[0]: not an object with from, value, to: "a"'),
    row({ externalNames: true }, "spec.externalNames: not an object with rescue, requireRecord: true"),
    inSelect({ name: 7 }, ".name: not a string or an object: 7; put it in quotes"),
    row(
      { tags: { add: [{ key: "paid", value: true }] } },
      "spec.tags.add[0].value: not a string or an object: a boolean; put it in quotes",
    ),
    inSelect({ self: true }, ".self: not an object: true"),
    inSelect({ matchLabels: {} }, ".matchLabels: empty"),
    inSelect({ matchLabels: { team: "a" }, minMatch: 3 }, ".minMatch: more than maxMatch"),
    inSelect({ name: "a", prefer: "First" }, ": minMatch, maxMatch, sortByFieldPath, prefer need matchLabels"),
    inShared(
      { select: { matchLabels: { team: "a" }, prefer: "First" }, grant: "ReferenceGrant" },
      "grant: ReferenceGrant is not allowed with select.prefer, which chooses by the annotations of the pool's members; use Annotation",
    ),
    inFields(
      { select: { matchLabels: { team: "a" }, maxMatch: 2, prefer: "LeastUsed" } },
      "spec.sharedResources[0].select.prefer: not allowed with maxMatch above 1",
    ),
    row(
      {
        sharedResources: [
          withoutCopies({ name: "a", toEnvironment: { fromFieldPath: "data", toFieldPath: "network" } }),
          withoutCopies({ name: "b", select: { name: { fromEnvironmentFieldPath: "network.name" } } }),
        ],
      },
      "spec.sharedResources: reads network.name of the environment, which toEnvironment of this step sets: read it in a later step, or have toEnvironment set another field",
    ),
    row(
      {
        sharedResources: [withoutCopies({ toEnvironment: { fromFieldPath: "data", toFieldPath: "network" } })],
        publish: { environmentConfig: { name: "n", data: [{ value: fromNetwork, toFieldPath: "a" }] } },
        consumers: { of: { apiVersion: "v1", kind: "X", name: fromNetwork } },
        tags: { add: [{ key: "a", value: { ...fromNetwork, optional: true } }], owner: { cluster: fromNetwork } },
      },
      ...["publish", "consumers", "tags"].map(
        (section) =>
          `spec.${section}: reads network.name of the environment, which toEnvironment of this step sets: read it in a later step, or have toEnvironment set another field`,
      ),
    ),
    row({
      sharedResources: [withoutCopies({ toEnvironment: { fromFieldPath: "data", toFieldPath: "other" } })],
      publish: { environmentConfig: { name: "n", data: [{ value: fromNetwork, toFieldPath: "a" }] } },
      tags: { preserve: [{ keys: fromNetwork }] },
    }),
    inFields({
      select: { name: { fromEnvironmentFieldPath: "network.name" } },
      toEnvironment: { fromFieldPath: "data", toFieldPath: "network.subnets" },
    }),
    ...["[0]", "a[1]"].map((toFieldPath) =>
      inShared(
        { toEnvironment: { fromFieldPath: "data", toFieldPath } },
        "toEnvironment.toFieldPath: cannot be set in an empty environment: begin with the name of a field, and use no index but [0]",
      ),
    ),
    inShared(
      { toEnvironment: { fromFieldPath: "data", toFieldPath: "kind" } },
      "toEnvironment.toFieldPath: not allowed: apiVersion and kind are the type of the environment itself",
    ),
    inShared({ toEnvironment: { fromFieldPath: "data", toFieldPath: "a[0].kind" } }),
    inShared(
      { patches: [{ fromFieldPath: "a", toCompositeFieldPath: "status[0]" }] },
      "patches[0].toCompositeFieldPath: not below status, the only part of the XR that a function can set",
    ),
    row({ consumers: { capacity: 0 } }, "spec.consumers.capacity: less than 1"),
    row({ consumers: { capacity: 1001 } }, "spec.consumers.capacity: more than 1000"),
    inSelect({ name: { ...fromXr("spec.a"), optional: true } }, `.name.optional: unknown field; ${SOURCES}`),
    inShared({ name: "Orders_DB" }, `name: ${DNS_LABEL}`),
    row(
      { sharedResources: [shared(), withoutCopies({ name: "network", resolution: "Fail" })] },
      `spec.sharedResources: resolution: Fail is ${REVOKED}; use Required`,
    ),
    row(
      {
        sharedResources: [
          withoutCopies({ name: "network", resolution: "Fail" }),
          withoutCopies({ name: "bucket", dependents: ["push"] }),
        ],
      },
      `spec.sharedResources: resolution: Fail is ${REVOKED}; use Required`,
    ),
    inShared(
      { dependents: ["", "shared/*", "shared-infrastructure/record", "consumers/x", "push", "*"] },
      "dependents[0]: empty",
      "dependents[1]: this function itself composes that resource: name one that another function composes",
      "dependents[2]: this function itself composes that resource: name one that another function composes",
      "dependents[3]: this function itself composes that resource: name one that another function composes",
    ),
    row(
      { sharedResources: [shared()], tags: FAIL },
      `spec.tags.owner.onConflict: Fail is ${REVOKED}; use Observe or Withhold`,
    ),
    row({ sharedResources: [shared(), shared()] }, 'spec.sharedResources: more than one item with name "db"'),
    ...["/v1", "example.org", "example.org/v1/x", "../v1"].map((apiVersion) =>
      inShared({ apiVersion }, "apiVersion: not an API version, such as example.org/v1"),
    ),
    ...["v1", "apps/v1", "gateway.networking.k8s.io/v1"].map((apiVersion) =>
      inShared(
        { apiVersion, kind: "ConfigMap" },
        "grant: Annotation is not allowed with connection for Kubernetes' own kinds: anyone who can edit such a " +
          "resource could name any Secret in it, and so share that Secret; use ReferenceGrant or None",
      ),
    ),
    inFields(
      { grant: "ReferenceGrant" },
      "spec.sharedResources[0].grant: ReferenceGrant needs connection, because it grants access to the connection Secret; else use Annotation",
    ),
    inSelect({ name: "orders", namespace: "*" }, '.namespace: "*" needs matchLabels'),
    inShared(
      { apiVersion: "v1", kind: "Secret" },
      "kind: a Secret itself cannot be shared, because it has no owner who could grant it: select the resource that writes the Secret",
    ),
    inShared(
      { patches: [{ fromFieldPath: "a..b", toCompositeFieldPath: "spec.x" }] },
      'patches[0].fromFieldPath: not a field path: "a..b", at position 1',
      "patches[0].toCompositeFieldPath: not below status, the only part of the XR that a function can set",
    ),
    inShared({ connection: { copies: [] } }, "connection.copies: an empty list"),
    inCopy({ via: "Copy" }, 'via: not one of Object, ConnectionSecret, Secret: "Copy"'),
    inCopy({ namespaces: 3 }, "namespaces: not a string, a list or an object: 3; put it in quotes"),
    inCopy(
      { keys: [fromXr("spec..key"), "a b", "x", "x", 7].map((to, index) => ({ from: "abcd"[index] ?? "", to })) },
      'keys[0].to.fromCompositeFieldPath: not a field path: "spec..key", at position 4',
      "keys[1].to: not a Secret's key: letters, digits, '-', '_' and '.'",
      "keys[4].from: not a Secret's key: letters, digits, '-', '_' and '.'",
      "keys[4].to: not a string or an object: 7; put it in quotes",
      'keys: more than one item with to "x"',
    ),
    inCopy(
      { keys: { fromFieldPath: "spec.keys" } },
      `keys.fromFieldPath: unknown field; ${MEANT_SOURCES}`,
      `keys: ${ONE_SOURCE} none; ${ITEM}`,
    ),
    inCopy(
      { keys: { PGHOST: "endpoint" } },
      `keys.PGHOST: unknown field; ${SOURCES}`,
      `keys: ${ONE_SOURCE} none; ${ITEM}`,
    ),
    inCopy(
      { keys: [{ value: "{xr:spec..a}", to: "x" }] },
      "keys[0].value: not a template: {xr:spec..a} is wrong; {key} is replaced by that value of the Secret, {xr:spec.field} by that field of " +
        "the XR, and {shared:status.field} by that field of the shared resource; |url, |base64 or |json before the } encodes the value; " +
        "write {{ and }} for braces",
    ),
    inShared(
      { connection: { ...connection({}), secretRef: { name: "{metadata.name}-sql", nameFieldPath: "spec.name" } } },
      "connection.secretRef: at most one of name, nameFieldPath; found name and nameFieldPath",
    ),
    inShared({ connection: { ...connection({}), secretRef: { name: "" } } }, "connection.secretRef.name: empty"),
    inShared(
      { connection: { ...connection({}), secretRef: { name: "{xr:spec.name}" } } },
      "connection.secretRef.name: not a template: {xr:spec.name} is wrong; {metadata.name} is replaced by that field's value",
    ),
    inShared(
      { connection: { ...connection({ via: "Secret" }), secretRef: { name: "{metadata.name}", perConsumer: true } } },
      "connection.secretRef.name: not allowed with perConsumer, because the shared resource itself tells each namespace the Secret's name",
    ),
    inCopy(
      { via: "ConnectionSecret", keys: [{ value: "postgresql", to: "type" }] },
      "keys: a key with value cannot be used with via: ConnectionSecret, which publishes only keys that a Secret has",
    ),
    inShared(
      { connection: { copies: [{}, connectionSecretWithLabels] } },
      "connection.copies[0].secretName: required",
      "connection.copies[1]: type and labels cannot be used with via: ConnectionSecret",
    ),
    row(
      { publish: { environmentConfig: { name: "orders", data: PORTS } } },
      'spec.publish.environmentConfig.data: more than one item with toFieldPath "db.ports[0]"',
    ),
    inCopy(
      { annotations: { "shared-infrastructure.fn.crossplane.io/owner": "me" } },
      "annotations: annotations with the prefix shared-infrastructure.fn.crossplane.io/ are reserved for this function",
    ),
    row(
      { consumers: { of: { apiVersion: "example.org/v1", kind: "XDb", name: "" }, capacity: 3 } },
      "spec.consumers.of.name: empty",
      "spec.consumers.capacity: not allowed with consumers.of: set capacity in the Composition of the shared XR itself, because consumers read in its status whether capacity is left",
    ),
    row(
      { consumers: { credentials: { template: { kind: "Role" } }, grant: "None" } },
      "spec.consumers.credentials.template.apiVersion: required",
      "spec.consumers.credentials.template: is the same for all namespaces: use {namespace} or {hash} in one of its texts",
      "spec.consumers.protect: must be false with grant: None, because otherwise any team could prevent the deletion of this XR",
      "spec.consumers.grant: None is not allowed with credentials or rotation, which depend on the namespaces that are granted access",
    ),
    ofCredentials(
      { template: { apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: "{namespace}" } } },
      "template.metadata.name: is the same for all namespaces: use {namespace} or {hash} in it, or leave it out, so that Crossplane chooses the name",
    ),
    ofCredentials(
      { turns: "2026-11", template: { ...role, metadata: { name: "orders-{namespace}" } } },
      "template.metadata.name: needs {hash} with turns: otherwise the credentials of one namespace would have the same name",
    ),
    ofCredentials(
      { template: { ...role, spec: { writeConnectionSecretToRef: { namespace: "a", name: "b-{namespace}" } } } },
      "template: needs {hash} in spec.writeConnectionSecretToRef.name, its Secret's name: otherwise two XRs, or two namespaces, could have the same Secret",
    ),
    inShared(
      { grant: "ReferenceGrant", connection: { ...connection({}), secretRef: { perConsumer: true } } },
      "grant: ReferenceGrant is not allowed with perConsumer, because credentials are made for the namespaces that annotations grant; use Annotation",
      "connection.secretRef.perConsumer: not allowed with via: Object: provider-kubernetes puts a finalizer on the credential's Secret, so " +
        "a revoked credential would stay until its copy is deleted; use via: ConnectionSecret or Secret",
    ),
    inShared(
      { select: { self: {} }, apiVersion: undefined as never, kind: undefined as never, readiness: "Required" },
      "readiness: Required is not allowed with select.self, or with maxMatch above 1",
    ),
    row({ adoption: { onUnadopted: "Delete" } }, 'spec.adoption.onUnadopted: not one of Adopt, Block: "Delete"'),
    row({ externalNames: { requireRecord: "yes" } }, 'spec.externalNames.requireRecord: not a boolean: "yes"'),
    row({ externalNames: { rescue: [{ kind: "VPC" }] } }, "spec.externalNames.rescue[0].apiGroup: required"),
  ])("is refused with $faults", ({ spec, faults }) => {
    expect(faultsOf(inputOf(spec))).toEqual(faults);
  });

  const V1 = "shared-infrastructure.fn.crossplane.io/v1";
  const kindOf = (apiVersion: string, kind = INPUT_KIND) => ({ apiVersion, kind, spec: {} });
  test.each<[input: object, ...faults: readonly string[]]>([
    [{}, "apiVersion: required", "kind: required", "spec: required"],
    [{ ...inputOf({}), sharedResources: [] }, "sharedResources: unknown field; did you mean spec.sharedResources?"],
    [kindOf(V1), `apiVersion: not ${INPUT_API_VERSION}: "${V1}"`],
    [kindOf("v1"), `apiVersion: not ${INPUT_API_VERSION}: "v1"`],
    [kindOf(INPUT_API_VERSION, "x".repeat(80)), `kind: not Input: "${"x".repeat(58)}…`],
    [{ ...inputOf({}), metadata: { name: "anything", labels: {} } }],
  ])("that is the object %j has its faults", (input, ...faults) => {
    expect(faultsOf(input as unknown as JsonObject)).toEqual(faults);
  });

  test("is refused with all its faults at once", () => {
    const broken = shared({ name: "-", colour: 1, select: {}, connection: { copies: [{ secretName: {} }] } });
    expect(faultsOf(inputOf({ responseTTL: "soon", sharedResources: [broken] }))).toEqual([
      'spec.responseTTL: not a duration of whole seconds: "soon" (for example 60s, 5m, 1h30m)',
      `spec.sharedResources[0].name: ${DNS_LABEL}`,
      "spec.sharedResources[0].select: exactly one of name, matchLabels, self; found none",
      `spec.sharedResources[0].connection.copies[0].secretName: ${ONE_SOURCE} none`,
      "spec.sharedResources[0].colour: unknown field; the fields here are name, into, apiVersion, kind, select, resolution, readiness, " +
        "grant, patches, toEnvironment and 2 more",
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
    const secretRef = {
      name: [["spec", "writeConnectionSecretToRef", "name"]],
      namespaceFieldPath: ["spec", "writeConnectionSecretToRef", "namespace"],
      perConsumer: false,
    };
    const copy = {
      secretName: { is: "literal", value: "orders-db" },
      via: "Object",
      type: { is: "literal", value: "Opaque" },
      labels: {},
      annotations: {},
      providerConfigRef: { name: "default", kind: "ClusterProviderConfig" },
    };
    const name = { is: "composite", path: ["spec", "parameters", "database"] };
    expect(parseInput(inputOf({ sharedResources: [shared()] })).spec.sharedResources).toEqual([
      {
        name: "db",
        apiVersion: "data.example.org/v1",
        kind: "XPostgres",
        select: { namespace: undefined, by: "name", name },
        resolution: "Required",
        readiness: "Ignored",
        grant: "Annotation",
        patches: [],
        connection: { secretRef, onSourceMissing: "Keep", copies: [copy] },
        dependents: [],
      },
    ]);
  });

  test.each([
    { text: "60s", seconds: 60 },
    { text: "1h30m", seconds: 5400 },
    { text: "0s", seconds: 0 },
  ])("has the duration $text as $seconds seconds", ({ text, seconds }) => {
    expect(parseInput(inputOf({ responseTTL: text })).spec.responseTTL).toBe(seconds);
  });

  test.each(["", "60", "1.5s", "-1s", "1s1m", "1d"])("cannot have the duration %j", (text) => {
    expect(faultsOf(inputOf({ responseTTL: text }))).toHaveLength(1);
  });
});

test.each([
  row({}),
  row({ add: [{ key: "a", value: "b" }], preserve: ["aws:*"], remove: ["a"] }),
  row({ add: [{ value: { fromCompositeFieldPath: "spec.tags", optional: true } }] }),
  row({ preserve: [{ keys: { fromCompositeFieldPath: "spec.keys" }, onExisting: "Retain" }] }),
  row(
    { add: [{ key: "a", value: { b: "c" } }] },
    `${VALUE}.b: unknown field; the fields here are fromCompositeFieldPath, fromEnvironmentFieldPath, optional`,
    `${VALUE}: ${ONE_SOURCE} none`,
  ),
  row({ add: [{ value: "b" }] }, `${VALUE}: a literal needs a key beside it`),
  row({ add: [{ key: "a" }] }, `${VALUE}: required`),
  row({ resources: [] }, "spec.tags.resources: an empty list"),
  row(
    { owner: { onConflict: "Fight", cluster: "Prod EU" } },
    `spec.tags.owner.cluster: ${DNS_LABEL}`,
    'spec.tags.owner.onConflict: not one of Observe, Withhold, Fail: "Fight"',
  ),
])("an input with tags $spec has the faults $faults", ({ spec, faults }) => {
  expect(faultsOf(inputOf({ tags: spec }))).toEqual(faults);
});

/** The sections `adoption` and `externalNames`. */
describe("a section of an input", () => {
  const specOf = (spec: JsonObject) => parseInput(inputOf(spec)).spec;

  test("that is empty turns its feature on, with all defaults", () => {
    const { adoption, externalNames } = specOf({ adoption: {}, externalNames: {} });
    expect(adoption).toEqual({ onUnadopted: "Adopt", onUnproven: "Block", onMissing: "Wait", restore: "Continue" });
    expect(externalNames).toEqual({ rescue: [], requireRecord: false });
  });

  test("that rescues external names reads status.atProvider.id by default", () => {
    const rescue = [{ apiGroup: "db.example.org", kind: "Cluster" }];
    expect(specOf({ externalNames: { rescue } }).externalNames?.rescue).toEqual([
      { apiGroup: "db.example.org", kind: "Cluster", fromFieldPath: ["status", "atProvider", "id"] },
    ]);
  });
});

/** An input with each section, whose combinations of fields are all checked. */
const WHOLE: JsonObject = {
  sharedResources: [
    {
      ...shared({ connection: { secretRef: { perConsumer: true }, copies: [{ secretName: "db", via: "Secret" }] } }),
      select: { matchLabels: { team: "a" }, minMatch: 1, maxMatch: 1, prefer: "First" },
      readiness: "Required",
      dependents: ["policy"],
      patches: [{ fromFieldPath: "a", toResource: { name: "b", fieldPath: "c" } }],
    },
    shared({
      grant: "ReferenceGrant",
      select: { self: {} },
      connection: connection({ via: "ConnectionSecret", keys: [{ from: "a", to: "b" }] }),
    }),
  ],
  consumers: {
    protect: false,
    grant: "None",
    capacity: 1,
    credentials: { template: { apiVersion: "v1", kind: "A", metadata: { name: "{hash}" } } },
  },
  tags: {
    add: [{ key: "team", value: "a" }],
    owner: { cluster: "eu" },
    resources: [{ apiGroup: "a.b", kind: "C", scopeFieldPaths: ["d"] }],
  },
  publish: { environmentConfig: { name: "a", data: [{ value: "b", toFieldPath: "c" }] } },
  externalNames: { rescue: [{ apiGroup: "a.b", kind: "C" }] },
  adoption: {},
};

/** Lists copies of a value that each have another value, or none, at one place. */
function change(value: JsonValue): readonly JsonValue[] {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return keys.flatMap((key) => {
    const at = (field: JsonValue | undefined): JsonValue =>
      Array.isArray(value)
        ? value.map((item, index) => (String(index) === key ? (field ?? null) : item))
        : { ...(value as JsonObject), [key]: field as JsonValue };
    const below = change((value as JsonObject)[key] as JsonValue).map(at);
    return [at(undefined), at(3), at("x"), at({}), at([]), at(["x", 3]), ...below];
  });
}

test("a field of an input that has another type, or is left out, is no more than a fault", () => {
  for (const spec of change(WHOLE)) faultsOf(inputOf(spec as JsonObject));
});
