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
  test.each<{ spec: JsonObject; fault: string }>([
    { spec: { adoption: { onUnadopted: "Delete" } }, fault: "spec.adoption.onUnadopted: not one of Adopt, Block" },
    { spec: { adoption: { onUnproven: true } }, fault: "spec.adoption.onUnproven: not one of Block, Release: true" },
    { spec: { adoption: { block: true } }, fault: "spec.adoption.block: unknown field" },
    { spec: { adoption: [] }, fault: "spec.adoption: not an object" },
    {
      spec: { externalNames: { ledger: { toCompositeFieldPath: "spec.names" } } },
      fault: "spec.externalNames.ledger.toCompositeFieldPath: not below status",
    },
    { spec: { externalNames: { ledger: {} } }, fault: "spec.externalNames.ledger.toCompositeFieldPath: required" },
    {
      spec: { externalNames: { rescue: [{ kind: "VPC" }] } },
      fault: "spec.externalNames.rescue[0].apiGroup: required",
    },
    { spec: { externalNames: { pin: "yes" } }, fault: "spec.externalNames.pin: not a boolean" },
  ])("is reported with its path as $fault", ({ spec, fault }) => {
    expect(() => parseInput(inputOf(spec))).toThrow(fault);
  });
});
