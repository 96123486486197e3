import { expect, test } from "vitest";
import { mayDelete, withoutDelete } from "../../src/crossplane/management-policies.ts";
import { documentOf } from "../../src/model/document.ts";

const observing = { deletionPolicy: "Delete", managementPolicies: ["Observe"] };
const deleting = { deletionPolicy: "Orphan", managementPolicies: ["Observe", "Delete"] };
test.each([
  { policies: ["*"], rest: ["Observe", "Create", "Update", "LateInitialize"] },
  { policies: ["Observe", "Create", "Update", "Delete"], rest: ["Observe", "Create", "Update"] },
  { policies: ["Observe", "Delete"], rest: ["Observe"] },
  { policies: ["Observe"], rest: ["Observe"] },
])("the policies $policies without Delete are $rest", ({ policies, rest }) => {
  expect(withoutDelete(policies)).toEqual(rest);
});

test.each([
  { reason: "a provider does so by default", spec: {}, deletes: true },
  { reason: "deletionPolicy is Orphan", spec: { deletionPolicy: "Orphan" }, deletes: false },
  { reason: "management policies without Delete win over deletionPolicy Delete", spec: observing, deletes: false },
  { reason: "an explicit Delete wins over deletionPolicy Orphan", spec: deleting, deletes: true },
])("whether deletion takes the cloud resource along is $deletes, because $reason", ({ spec, deletes }) => {
  expect(mayDelete(documentOf({ spec }))).toBe(deletes);
});
