import { describe, expect, test } from "vitest";
import { parseInput } from "../../src/input/parse.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { inputOf } from "../../testing/builders/sharing.ts";

/** The sections `adoption` and `externalNames`. */

test("an empty section turns its feature on, with all defaults", () => {
  const { adoption, externalNames } = parseInput(inputOf({ adoption: {}, externalNames: {} })).spec;
  expect(adoption).toEqual({ onUnadopted: "Adopt", onUnproven: "Block", onMissing: "Wait" });
  expect(externalNames).toEqual({ pin: true, rescue: [], builtInRescue: true });
});

test("without its section a feature is off", () => {
  const { adoption, externalNames } = parseInput(inputOf({})).spec;
  expect([adoption, externalNames]).toEqual([undefined, undefined]);
});

test("a rescue rule reads status.atProvider.id by default", () => {
  const rescue = [{ apiGroup: "db.example.org", kind: "Cluster" }];
  expect(parseInput(inputOf({ externalNames: { rescue } })).spec.externalNames?.rescue).toEqual([
    { apiGroup: "db.example.org", kind: "Cluster", fromFieldPath: ["status", "atProvider", "id"] },
  ]);
});

describe("a fault in the input", () => {
  test.each<[string, JsonObject]>([
    ["spec.adoption.onUnadopted: not one of Adopt, Block", { adoption: { onUnadopted: "Delete" } }],
    ["spec.adoption.onUnproven: not one of Block, Release: true", { adoption: { onUnproven: true } }],
    ["spec.adoption.block: unknown field", { adoption: { block: true } }],
    ["spec.adoption: not an object", { adoption: [] }],
    [
      "spec.externalNames.ledger.toCompositeFieldPath: not below status",
      { externalNames: { ledger: { toCompositeFieldPath: "spec.names" } } },
    ],
    ["spec.externalNames.ledger.toCompositeFieldPath: required", { externalNames: { ledger: {} } }],
    ["spec.externalNames.rescue[0].apiGroup: required", { externalNames: { rescue: [{ kind: "VPC" }] } }],
    ["spec.externalNames.pin: not a boolean", { externalNames: { pin: "yes" } }],
  ])("is reported with its path as %s", (fault, spec) => {
    expect(() => parseInput(inputOf(spec))).toThrow(fault);
  });
});
