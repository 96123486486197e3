import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { run } from "../../../src/pipeline.ts";
import { composedCall, controlledBy, restoredStore, store } from "../../../testing/builders/composed.ts";
import { credentialKey } from "../../../testing/builders/consumers.ts";
import { desiredOf, fatalsIn } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";

// Credentials after a restore, by the whole pipeline: `adoption` looks after those that `consumers` does not desire.

const ROLE = { apiVersion: "sql.example.org/v1", kind: "Role" };
const template = { ...ROLE, metadata: { name: "orders-{namespace}" }, spec: { login: true } };
const spec = { adoption: {}, consumers: { credentials: { forEach: "Grant", template } } };

/** The XR that has composed the credentials of both teams, and grants access to these. */
const granting = (from: typeof store, allowed: string): JsonObject => {
  const resourceRefs = ["team-a", "team-b"].map((team) => ({ ...ROLE, name: `orders-${team}` }));
  const { metadata, ...xr } = from({ spec: { resourceRefs } });
  return { ...xr, metadata: { ...(metadata as JsonObject), annotations: { [ALLOWED]: allowed } } };
};

/** The credentials of these teams as they came out of the backup, unless the metadata say more. */
const roles = (teams: readonly string[], metadata: JsonObject = {}) =>
  Object.fromEntries(
    teams.map((team) => {
      const labels = { "crossplane.io/composite": "store" };
      const annotations = { "crossplane.io/composition-resource-name": credentialKey(team) };
      const own = { name: `orders-${team}`, uid: `uid-of-${team}`, labels, annotations, ...metadata };
      return [credentialKey(team), { ...ROLE, metadata: own, spec: { login: true, filledIn: true } }];
    }),
  );

const both = ["team-a", "team-b"];
const AS_DESIRED = { login: true };
const AS_OBSERVED = { login: true, filledIn: true };
const ours = controlledBy("uid-now");
const pending = { ...ours, annotations: { [`${DOMAIN}/adoption`]: "pending" } };
const restored = (allowed: string) => granting(restoredStore, allowed);

/** `a`: what is desired of the credential of team-a. That of team-b is always desired as the template has it. */
type Row = [reason: string, adopted: string, xr: JsonObject, observed: ReturnType<typeof roles>, a?: object];
test.each<Row>([
  ["is desired as ever, and so adopted", "Adopted", restored("team-a,team-b"), roles(both), AS_DESIRED],
  ["is put back without a grant, to be adopted", "Adopting", restored("team-b"), roles(both), AS_OBSERVED],
  ["goes without a grant once it is adopted", "NoLongerDesired", granting(store, "team-b"), roles(both, ours)],
  [
    "goes without a grant although no provider has looked at it",
    "NoLongerDesired",
    restored("team-b"),
    roles(both, pending),
  ],
  ["stops the XR while it is missing", "MissingAfterRestore", restored("team-b"), roles(["team-a"]), AS_OBSERVED],
])("after a restore, a credential %s: %s", (_reason, adopted, xr, observed, a) => {
  const answers = { "adoption/Role.sql.example.org/orders-team-b": [] };
  const draft = runFeature(run, composedCall({ xr, observed, answers, spec }));
  expect(draft.conditions.find(({ type }) => type === "ResourcesAdopted")?.reason).toBe(adopted);
  expect(both.map((team) => desiredOf(draft, credentialKey(team))["spec"])).toEqual([a, AS_DESIRED]);
  expect(fatalsIn(draft)).toHaveLength(adopted === "MissingAfterRestore" ? 1 : 0);
});
