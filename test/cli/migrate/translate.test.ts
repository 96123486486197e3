import { describe, expect, test } from "vitest";
import { fromEnvironmentConfigs, fromTagManager, Reader, type Translate } from "../../../cli/migrate/translate.ts";
import { parseInput } from "../../../src/input/parse.ts";
import type { JsonObject } from "../../../src/model/json.ts";

type Row = [reason: string, from: JsonObject, to: JsonObject, remarks?: readonly string[]];

/** Compares a translation, which has to be an input that this function takes. */
function assertTranslated(translate: Translate, from: JsonObject, to: JsonObject, remarks: readonly string[] = []) {
  const reader = new Reader();
  const spec = translate(reader, from);
  expect({ spec, remarks: reader.remarks }).toEqual({ spec: to, remarks });
  parseInput({ apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1", kind: "Input", spec });
}

describe("an input of function-environment-configs", () => {
  const toShares = (...select: readonly JsonObject[]) => ({ sharedResources: select.map((one) => config(one)) });
  const config = ({ toFieldPath, ...fields }: JsonObject): JsonObject => ({
    name: "environment-0",
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    toEnvironment: { fromFieldPath: "data", ...(toFieldPath !== undefined && { toFieldPath }) },
    grant: "None",
    resolution: "Fail",
    ...fields,
  });
  const prod = { select: { name: "prod" } };
  const refs = (...environmentConfigs: readonly JsonObject[]) => ({ environmentConfigs });
  const ref = { ref: { name: "prod" } };
  const labelled = (matchLabels: readonly JsonObject[], more: JsonObject = {}) =>
    refs({ type: "Selector", selector: { matchLabels, ...more } });
  const type = (value: string) => ({ key: "type", type: "Value", value });

  test.each<Row>([
    ["names an EnvironmentConfig", refs({ type: "Reference", ...ref }), toShares(prod)],
    ["may name no type", refs({ ...ref, toFieldPath: "a" }), toShares({ ...prod, toFieldPath: "a" })],
    [
      "selects one by labels, from a value and from the XR",
      labelled([
        type("cluster"),
        { key: "region", type: "FromCompositeFieldPath", valueFromFieldPath: "spec.region" },
        { key: "tier", valueFromFieldPath: "spec.tier", fromFieldPathPolicy: "Optional" },
      ]),
      toShares({
        select: {
          matchLabels: {
            type: "cluster",
            region: { fromCompositeFieldPath: "spec.region" },
            tier: { fromCompositeFieldPath: "spec.tier", optional: true },
          },
        },
      }),
    ],
    [
      "says which matcher it leaves out, because another one has its key",
      labelled([type("cluster"), type("network")]),
      toShares({ select: { matchLabels: { type: "network" } } }),
      ["spec.environmentConfigs[0].selector.matchLabels[0]: not translated, since a later one has its key"],
    ],
    [
      "goes on without a reference only where it says so",
      { policy: { resolution: "Optional" }, ...refs(ref) },
      toShares({ ...prod, resolution: "Optional" }),
    ],
    [
      "selects several, sorted by name and without a limit unless it says otherwise",
      { defaultData: { region: "eu" }, ...labelled([type("cluster")], { mode: "Multiple" }) },
      {
        environment: { defaultData: { region: "eu" } },
        ...toShares({
          select: {
            matchLabels: { type: "cluster" },
            minMatch: 0,
            maxMatch: 100_000,
            sortByFieldPath: "metadata.name",
          },
        }),
      },
    ],
    [
      "says which field is not translated",
      { ...refs({ ref: { name: "prod", namespace: "team-a" } }), later: true },
      toShares(prod),
      ["spec.later: not translated", "spec.environmentConfigs[0].ref.namespace: not translated"],
    ],
  ])("%s", (_, from, to, remarks) => {
    assertTranslated(fromEnvironmentConfigs, { spec: from }, to, remarks);
  });
});

describe("an input of function-tag-manager", () => {
  // Of other clouds it knows no kinds: a tag that they refuse would stop the whole XR.
  const resources = ["aws", "aws.m", "azure", "azure.m"].map((cloud) => ({ apiGroup: `*${cloud}.upbound.io` }));

  const valued = (fields: JsonObject) => ({ type: "FromValue", ...fields });

  test.each<Row>([
    [
      "replaces tags where it names no policy, and may find a field of the XR or the environment unset",
      {
        addTags: [
          { tags: { tier: "gold" } },
          valued({ tags: { team: "orders" } }),
          { type: "FromCompositeFieldPath", fromFieldPath: "spec.tags" },
          { type: "FromEnvironmentFieldPath", fromFieldPath: "tags" },
        ],
      },
      {
        add: [
          { value: { fromEnvironmentFieldPath: "tags", optional: true } },
          { value: { fromCompositeFieldPath: "spec.tags", optional: true } },
          { key: "team", value: "orders" },
          { key: "tier", value: "gold" },
        ],
      },
    ],
    [
      "takes the first of two that replace one key, where this function takes the last",
      {
        addTags: [
          { tags: { team: "first" } },
          valued({ policy: "Retain", tags: { tier: "kept" } }),
          valued({ policy: "Replace", tags: { team: "second" } }),
        ],
      },
      {
        add: [
          { key: "team", value: "second", onExisting: "Replace" },
          { key: "team", value: "first" },
          { key: "tier", value: "kept", onExisting: "Retain" },
        ],
      },
    ],
    [
      "keeps the first of two that retain one key, as this function does",
      { addTags: ["first", "second"].map((team) => valued({ policy: "Retain", tags: { team } })) },
      { add: ["first", "second"].map((value) => ({ key: "team", value, onExisting: "Retain" })) },
    ],
    [
      "ignores and removes keys, which are no globs there",
      {
        ignoreTags: [valued({ keys: ["cost*"], policy: "Replace" })],
        removeTags: [{ type: "FromCompositeFieldPath", fromFieldPath: "spec.old" }],
      },
      {
        preserve: [{ keys: ["cost*"], onExisting: "Replace" }],
        remove: [{ keys: { fromCompositeFieldPath: "spec.old" } }],
      },
      ["ignoreTags[0].keys: here * and ? match other characters"],
    ],
    [
      "preserves what another entry replaces, whichever comes first",
      { ignoreTags: ["Retain", "Replace"].map((policy) => valued({ keys: ["owner"], policy })) },
      { preserve: ["Replace", "Retain"].map((onExisting) => ({ keys: ["owner"], onExisting })) },
    ],
    [
      "replaces whatever the policy where it names no type",
      { addTags: [{ tags: { team: "orders" }, policy: "Retain" }] },
      { add: [{ key: "team", value: "orders" }] },
    ],
    ["may leave out tags and lists, or have null", { addTags: [valued({})], ignoreTags: null, removeTags: [] }, {}],
    [
      "says which field is not translated",
      { addTags: [{ tags: { team: "orders" }, when: "always" }] },
      { add: [{ key: "team", value: "orders" }] },
      ["addTags[0].when: not translated"],
    ],
  ])("%s", (_, from, to, remarks) => {
    assertTranslated(fromTagManager, from, { tags: { ...to, resources } }, remarks);
  });
});
