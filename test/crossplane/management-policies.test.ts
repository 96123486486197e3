import { expect, test } from "vitest";
import { mayDelete, withoutDelete } from "../../src/crossplane/management-policies.ts";
import { documentOf } from "../../src/model/document.ts";

test.each([
  { policies: ["*"], rest: ["Observe", "Create", "Update", "LateInitialize"] },
  { policies: ["Observe", "Create", "Update", "Delete"], rest: ["Observe", "Create", "Update"] },
  { policies: ["Observe", "Delete"], rest: ["Observe"] },
  { policies: ["Observe"], rest: ["Observe"] },
])("$policies without Delete", ({ policies, rest }) => {
  expect(withoutDelete(policies)).toEqual(rest);
});

test.each([
  { reason: "as a provider does by default", spec: {}, deletes: true },
  { reason: "deletionPolicy Orphan", spec: { deletionPolicy: "Orphan" }, deletes: false },
  {
    reason: "no Delete wins over deletionPolicy Delete",
    spec: { deletionPolicy: "Delete", managementPolicies: ["Observe"] },
    deletes: false,
  },
  {
    reason: "an explicit Delete wins over Orphan",
    spec: { deletionPolicy: "Orphan", managementPolicies: ["Observe", "Delete"] },
    deletes: true,
  },
])("the cloud resource goes with it: $deletes, $reason", ({ spec, deletes }) => {
  expect(mayDelete(documentOf({ spec }))).toBe(deletes);
});
