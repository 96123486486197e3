import { describe, expect, test } from "vitest";
import { fromEnvironmentConfigs } from "../../../cli/migrate/selections.ts";
import { fromTagManager } from "../../../cli/migrate/tag-manager.ts";
import { Reader, type Translate } from "../../../cli/migrate/translate.ts";
import { parseInput } from "../../../src/input/parse.ts";
import type { JsonObject } from "../../../src/model/json.ts";

interface Row {
  readonly reason: string;
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly remarks?: readonly string[];
}

/** Compares a translation, which has to be an input that this function takes. */
function assertTranslated(translate: Translate, from: JsonObject, to: JsonObject, remarks: readonly string[] = []) {
  const reader = new Reader();
  const spec = translate(reader, from);
  expect({ spec, remarks: reader.remarks }).toEqual({ spec: to, remarks });
  parseInput({ apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1", kind: "Input", spec });
}

describe("an input of function-environment-configs", () => {
  const prod = { select: { name: "prod" } };
  const config = ({ toFieldPath, ...fields }: JsonObject): JsonObject => ({
    name: "environment-0",
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    toEnvironment: { fromFieldPath: "data", ...(toFieldPath !== undefined && { toFieldPath }) },
    grant: "None",
    resolution: "Fail",
    ...fields,
  });

  test.each<Row>([
    {
      reason: "names an EnvironmentConfig",
      from: { environmentConfigs: [{ type: "Reference", ref: { name: "prod" } }] },
      to: { sharedResources: [config(prod)] },
    },
    {
      reason: "takes a reference where it names no type",
      from: { environmentConfigs: [{ ref: { name: "prod" }, toFieldPath: "network" }] },
      to: { sharedResources: [config({ ...prod, toFieldPath: "network" })] },
    },
    {
      reason: "selects one by labels, from a value and from the XR",
      from: {
        environmentConfigs: [
          {
            type: "Selector",
            selector: {
              matchLabels: [
                { key: "type", type: "Value", value: "cluster" },
                { key: "region", type: "FromCompositeFieldPath", valueFromFieldPath: "spec.region" },
                { key: "tier", valueFromFieldPath: "spec.tier", fromFieldPathPolicy: "Optional" },
              ],
            },
          },
        ],
      },
      to: {
        sharedResources: [
          config({
            select: {
              matchLabels: {
                type: "cluster",
                region: { fromCompositeFieldPath: "spec.region" },
                tier: { fromCompositeFieldPath: "spec.tier", optional: true },
              },
            },
          }),
        ],
      },
    },
    {
      reason: "says which matcher it leaves out, because another one has its key",
      from: {
        environmentConfigs: [
          {
            type: "Selector",
            selector: {
              matchLabels: [
                { key: "type", type: "Value", value: "cluster" },
                { key: "type", type: "Value", value: "network" },
              ],
            },
          },
        ],
      },
      to: { sharedResources: [config({ select: { matchLabels: { type: "network" } } })] },
      remarks: ["spec.environmentConfigs[0].selector.matchLabels[0]: not translated, since a later one has its key"],
    },
    {
      reason: "goes on without a reference only where it says so",
      from: { policy: { resolution: "Optional" }, environmentConfigs: [{ ref: { name: "prod" } }] },
      to: { sharedResources: [config({ ...prod, resolution: "Optional" })] },
    },
    {
      reason: "selects several, sorted by name and without a limit unless it says otherwise",
      from: {
        defaultData: { region: "eu" },
        policy: { resolution: "Optional" },
        environmentConfigs: [
          {
            type: "Selector",
            selector: { mode: "Multiple", matchLabels: [{ key: "type", type: "Value", value: "cluster" }] },
          },
        ],
      },
      to: {
        environment: { defaultData: { region: "eu" } },
        sharedResources: [
          config({
            select: {
              matchLabels: { type: "cluster" },
              minMatch: 0,
              maxMatch: 100_000,
              sortByFieldPath: "metadata.name",
            },
          }),
        ],
      },
    },
    {
      reason: "says which field is not translated",
      from: { environmentConfigs: [{ ref: { name: "prod", namespace: "team-a" } }], later: true },
      to: { sharedResources: [config(prod)] },
      remarks: ["spec.later: not translated", "spec.environmentConfigs[0].ref.namespace: not translated"],
    },
  ])("$reason", ({ from, to, remarks }) => {
    assertTranslated(fromEnvironmentConfigs, { spec: from }, to, remarks);
  });
});

describe("an input of function-tag-manager", () => {
  // Of other clouds it knows no kinds: a tag that they refuse would stop the whole XR.
  const resources = [
    { apiGroup: "*aws.upbound.io" },
    { apiGroup: "*aws.m.upbound.io" },
    { apiGroup: "*azure.upbound.io" },
    { apiGroup: "*azure.m.upbound.io" },
  ];

  test.each<Row>([
    {
      reason: "replaces tags where it names no policy, and may find a field of the XR or the environment unset",
      from: {
        addTags: [
          { tags: { tier: "gold" } },
          { type: "FromValue", tags: { team: "orders" } },
          { type: "FromCompositeFieldPath", fromFieldPath: "spec.tags" },
          { type: "FromEnvironmentFieldPath", fromFieldPath: "tags" },
        ],
      },
      to: {
        add: [
          { value: { fromEnvironmentFieldPath: "tags", optional: true } },
          { value: { fromCompositeFieldPath: "spec.tags", optional: true } },
          { key: "team", value: "orders" },
          { key: "tier", value: "gold" },
        ],
      },
    },
    {
      reason: "takes the first of two that replace one key, where this function takes the last",
      from: {
        addTags: [
          { tags: { team: "first" } },
          { type: "FromValue", policy: "Retain", tags: { tier: "kept" } },
          { type: "FromValue", policy: "Replace", tags: { team: "second" } },
        ],
      },
      to: {
        add: [
          { key: "team", value: "second", onExisting: "Replace" },
          { key: "team", value: "first" },
          { key: "tier", value: "kept", onExisting: "Retain" },
        ],
      },
    },
    {
      reason: "ignores and removes keys, which are no globs there",
      from: {
        ignoreTags: [{ type: "FromValue", keys: ["cost*"], policy: "Replace" }],
        removeTags: [{ type: "FromCompositeFieldPath", fromFieldPath: "spec.old" }],
      },
      to: {
        preserve: [{ keys: ["cost*"], onExisting: "Replace" }],
        remove: [{ keys: { fromCompositeFieldPath: "spec.old" } }],
      },
      remarks: ["ignoreTags[0].keys: here * and ? match other characters"],
    },
    {
      reason: "preserves what another entry replaces, whichever comes first",
      from: {
        ignoreTags: [
          { type: "FromValue", keys: ["owner"], policy: "Retain" },
          { type: "FromValue", keys: ["owner"], policy: "Replace" },
        ],
      },
      to: {
        preserve: [
          { keys: ["owner"], onExisting: "Replace" },
          { keys: ["owner"], onExisting: "Retain" },
        ],
      },
    },
    {
      reason: "replaces whatever the policy where it names no type",
      from: { addTags: [{ tags: { team: "orders" }, policy: "Retain" }] },
      to: { add: [{ key: "team", value: "orders" }] },
    },
    {
      reason: "may leave out tags and lists, or have null for them",
      from: { addTags: [{ type: "FromValue" }], ignoreTags: null, removeTags: [] },
      to: {},
    },
    {
      reason: "says which field is not translated",
      from: { addTags: [{ tags: { team: "orders" }, when: "always" }] },
      to: { add: [{ key: "team", value: "orders" }] },
      remarks: ["addTags[0].when: not translated"],
    },
  ])("$reason", ({ from, to, remarks }) => {
    assertTranslated(fromTagManager, from, { tags: { ...to, resources } }, remarks);
  });
});
