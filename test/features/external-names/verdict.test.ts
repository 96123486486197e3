import { describe, expect, test } from "vitest";
import { isManaged } from "../../../src/crossplane/managed-resource.ts";
import { judgeName } from "../../../src/features/external-names/verdict.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const named = (name: string | undefined): JsonObject =>
  name === undefined ? {} : { metadata: { annotations: { "crossplane.io/external-name": name } } };

interface Row {
  readonly reason: string;
  readonly desired?: string;
  readonly observed?: string;
  readonly recorded?: string;
  readonly id?: string;
  readonly is: string;
  readonly name?: string;
}

test.each<Row>([
  { reason: "the pipeline's", desired: "d", observed: "o", recorded: "r", id: "i", is: "setByPipeline", name: "d" },
  { reason: "observed", observed: "o", is: "observed", name: "o" },
  { reason: "observed, as the ledger has it", observed: "o", recorded: "o", id: "i", is: "observed", name: "o" },
  { reason: "observed, never overridden", observed: "o", recorded: "r", is: "duplicate", name: "o" },
  { reason: "the ledger's", recorded: "r", is: "recorded", name: "r" },
  { reason: "the ledger's, as the provider reports", recorded: "r", id: "r", is: "recorded", name: "r" },
  { reason: "the ledger's, before the provider's", recorded: "r", id: "i", is: "duplicate", name: "r" },
  { reason: "the provider's", id: "i", is: "rescued", name: "i" },
  { reason: "none", is: "unnamed" },
  { reason: "an empty annotation is none", observed: "", is: "unnamed" },
])("$is: $reason", ({ desired, observed, recorded, id, is, name }) => {
  const verdict = judgeName({
    desired: documentOf(named(desired)),
    observed: documentOf({ ...named(observed), status: { atProvider: { id: id ?? null } } }),
    recorded,
    rescuePaths: [["status", "atProvider", "id"]],
  });
  expect(verdict).toMatchObject(name === undefined ? { is } : { is, name });
});

describe("without a name, and without LateInitialize", () => {
  test.each([
    { reason: "no policies: all of them", policies: undefined, isAtRisk: false },
    { reason: "all of them", policies: ["*"], isAtRisk: false },
    { reason: "LateInitialize is there", policies: ["Create", "LateInitialize"], isAtRisk: false },
    { reason: "it creates nothing", policies: ["Observe"], isAtRisk: false },
    { reason: "it is lacking", policies: ["Observe", "Create", "Update", "Delete"], isAtRisk: true },
  ])("$isAtRisk: $reason", ({ policies, isAtRisk }) => {
    const desired = documentOf({ spec: policies === undefined ? {} : { managementPolicies: policies } });
    const verdict = judgeName({ desired, observed: undefined, recorded: undefined, rescuePaths: [["status", "id"]] });
    expect(verdict).toEqual({ is: "unnamed", isAtRisk });
    expect(judgeName({ desired, observed: undefined, recorded: undefined, rescuePaths: [] })).toMatchObject({
      isAtRisk: false,
    });
  });
});

describe("what a managed resource is", () => {
  test.each([
    { reason: "a managed resource", spec: { forProvider: {}, providerConfigRef: { name: "default" } }, is: true },
    { reason: "one without a ProviderConfig", spec: { managementPolicies: ["*"] }, is: true },
    { reason: "a nested XR", spec: { providerConfigRef: {}, compositionRef: { name: "x" } }, is: false },
    { reason: "a nested XR of Crossplane v2", spec: { managementPolicies: [], crossplane: {} }, is: false },
    { reason: "a native kind", spec: { replicas: 1 }, is: false },
  ])("$is: $reason", ({ spec, is }) => {
    expect(isManaged(documentOf({ spec }))).toBe(is);
  });
});
