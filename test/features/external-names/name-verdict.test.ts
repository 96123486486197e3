import { expect, test } from "vitest";
import { isManaged } from "../../../src/crossplane/managed-resource.ts";
import { judgeName } from "../../../src/features/external-names/name-verdict.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed } from "../../../testing/builders/composed.ts";

const named = (name: string | undefined): JsonObject => (name === undefined ? {} : externallyNamed(name));

interface Row {
  readonly reason: string;
  readonly desired?: string;
  readonly observed?: string;
  readonly recorded?: string;
  readonly id?: string;
  readonly isConfirmed?: boolean;
  readonly isHeld?: boolean;
  readonly is: string;
  readonly name?: string;
}

test.each<Row>([
  { reason: "a step sets it", desired: "d", observed: "o", recorded: "r", id: "i", is: "ChangedByPipeline", name: "d" },
  { reason: "a step sets the observed one", desired: "o", observed: "o", recorded: "r", id: "i", is: "SetByPipeline" },
  { reason: "it is observed", observed: "o", is: "Pinned", name: "o" },
  { reason: "it is observed as the record has it", observed: "o", recorded: "o", id: "i", is: "Pinned", name: "o" },
  { reason: "another one is recorded", observed: "o", recorded: "r", is: "DuplicateSuspected", name: "o" },
  { reason: "only the record has it", recorded: "r", is: "RestoredFromRecord", name: "r" },
  { reason: "the provider reports what the record has", recorded: "r", id: "r", is: "RestoredFromRecord", name: "r" },
  { reason: "another one is reported", recorded: "r", id: "i", is: "DuplicateSuspected", name: "r" },
  { reason: "only the provider reports it", id: "i", is: "Rescued", name: "i" },
  { reason: "a team's word alone gives it", recorded: "r", isConfirmed: false, is: "WaitingForRecord" },
  { reason: "the provider reports it as well", recorded: "r", isConfirmed: false, id: "i", is: "Rescued", name: "i" },
  { reason: "there is none", is: "WaitingForNames" },
  { reason: "there is none, and a record is required, of a resource that exists", isHeld: true, is: "WaitingForNames" },
  { reason: "the observed annotation is empty", observed: "", is: "WaitingForNames" },
])(
  "an external name is judged $is when $reason",
  ({ desired, observed, recorded, id, is, name, isConfirmed, isHeld }) => {
    const verdict = judgeName({
      desired: documentOf(named(desired)),
      observed: documentOf({ ...named(observed), status: { atProvider: { id: id ?? null } } }),
      recorded,
      isConfirmed: isConfirmed ?? true,
      isHeld: isHeld ?? false,
      rescuePaths: [["status", "atProvider", "id"]],
    });
    expect(verdict).toMatchObject(name === undefined ? { is } : { is, name });
  },
);

test.each([
  ["WaitingForNames", "it has no policies, which allow everything", undefined],
  ["WaitingForNames", "its policies allow everything", ["*"]],
  ["WaitingForNames", "its policies include LateInitialize", ["Create", "LateInitialize"]],
  ["WaitingForNames", "its policies create nothing", ["Observe"]],
  ["LateInitializeMissing", "its policies create and lack LateInitialize", ["Observe", "Create", "Update", "Delete"]],
])("a resource that is not created yet is judged %s when %s", (is, _reason, policies) => {
  const desired = documentOf({ spec: policies === undefined ? {} : { managementPolicies: policies } });
  const nameless = { desired, observed: undefined, recorded: undefined, isConfirmed: true, isHeld: false };
  expect(judgeName({ ...nameless, rescuePaths: [["status", "id"]] })).toEqual({ is });
  expect(judgeName({ ...nameless, rescuePaths: [] })).toEqual({ is: "WaitingForNames" });
});

test.each([
  { reason: "a managed resource", spec: { forProvider: {}, providerConfigRef: { name: "default" } }, is: true },
  { reason: "a managed resource without a ProviderConfig", spec: { managementPolicies: ["*"] }, is: true },
  { reason: "a nested XR", spec: { providerConfigRef: {}, compositionRef: { name: "x" } }, is: false },
  { reason: "a nested XR of Crossplane v2", spec: { managementPolicies: [], crossplane: {} }, is: false },
  { reason: "a native kind", spec: { replicas: 1 }, is: false },
])("isManaged is $is for $reason", ({ spec, is }) => {
  expect(isManaged(documentOf({ spec }))).toBe(is);
});
