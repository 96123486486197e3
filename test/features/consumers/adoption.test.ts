import { describe, expect, test } from "vitest";
import { toRequirement } from "../../../src/crossplane/requirement-names.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFunction } from "../../../src/run-function.ts";
import { controlledBy, restoredStore, store } from "../../../testing/builders/composed.ts";
import { credentialKey, SELECTOR } from "../../../testing/builders/consumers.ts";
import { ALLOWED, inputOf } from "../../../testing/builders/sharing.ts";
import { decodeResponse, encodeRequest } from "../../../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../../../testing/wire/plain.ts";

// Credentials after a restore, by the whole pipeline: `consumers` desires them, and `adoption` looks after those that it does not desire.

const ROLE = { apiVersion: "sql.example.org/v1", kind: "Role" };

const input = inputOf({
  adoption: {},
  consumers: {
    list: { toCompositeFieldPath: "status.consumers" },
    credentials: {
      forEach: "Grant",
      template: { ...ROLE, metadata: { name: "orders-{namespace}" }, spec: { login: true } },
    },
  },
});

/** The XR that the credentials of these namespaces are composed by. Its status is lost with the restore. */
const granting = (from: typeof store, allowed: JsonObject, namespaces: readonly string[]): JsonObject => {
  const { metadata, ...xr } = from({
    spec: { resourceRefs: namespaces.map((namespace) => ({ ...ROLE, name: `orders-${namespace}` })) },
  });
  return { ...xr, metadata: { ...(metadata as JsonObject), annotations: allowed } };
};

/** A credential as it came out of the backup, unless the metadata say more. */
const role = (namespace: string, metadata: JsonObject = {}): JsonObject => ({
  ...ROLE,
  metadata: {
    name: `orders-${namespace}`,
    uid: `uid-of-${namespace}`,
    labels: { "crossplane.io/composite": "store" },
    annotations: { "crossplane.io/composition-resource-name": credentialKey(namespace) },
    ...metadata,
  },
  spec: { login: true, filledIn: "by the provider" },
});

interface Restore {
  readonly xr: JsonObject;
  /** Of these namespaces the credential is observed. */
  readonly observed?: Readonly<Record<string, JsonObject>>;
  /** Of these namespaces the credential is looked up, with what is there. */
  readonly found?: Readonly<Record<string, readonly JsonObject[]>>;
}

/** What one call desires of the credentials, and how it ends. */
function reconcile({ xr, observed = {}, found = {} }: Restore) {
  const lookUp = (namespace: string) => {
    const selector = { ...ROLE, match: { name: `orders-${namespace}` } };
    return toRequirement(`adoption/Role.sql.example.org/orders-${namespace}`, selector).name;
  };
  const rename = <T>(byNamespace: Readonly<Record<string, T>>, to: (namespace: string) => string) =>
    Object.fromEntries(Object.entries(byNamespace).map(([namespace, value]) => [to(namespace), value]));
  const there = stateOf(xr, rename(observed, credentialKey));
  const message = encodeRequest(v2Request(input, there, rename(found, lookUp)));
  const { desired, conditions, results, requirements } = decodeResponse(runFunction(message).response);
  const adopted = conditions.find(({ type }) => type === "ResourcesAdopted");
  return {
    desired: Object.fromEntries([...desired.resources].map(([name, { object }]) => [name, object?.["spec"]])),
    adopted: adopted?.reason,
    fatal: results.flatMap(({ severity, message: text }) => (severity === "Fatal" ? [text] : [])),
    asked: [...(requirements?.resources.keys() ?? [])].filter((name) => name.startsWith("adoption/")),
    lookUp,
  };
}

const TEMPLATE = { login: true };
const AS_OBSERVED = { login: true, filledIn: "by the provider" };
const to = (...namespaces: readonly string[]): JsonObject => ({ [ALLOWED]: namespaces.join(",") });
const both = ["team-a", "team-b"];

describe("after a restore, the credential", () => {
  const one = { "team-a": role("team-a") };
  const kept = { [credentialKey("team-a")]: TEMPLATE };
  const stays = { desired: kept, adopted: "Adopted" };
  test.each<[reason: string, restore: Restore, outcome: { desired: JsonObject; adopted: string }, fatal?: string]>([
    [
      "of a namespace that is granted is desired as ever, so that Crossplane adopts the one that is there",
      { xr: granting(restoredStore, to("team-a"), ["team-a"]), observed: one },
      stays,
    ],
    [
      "whose grant was taken back meanwhile is put back as a whole, so that it is adopted before it is deleted",
      { xr: granting(restoredStore, to("team-b"), both), observed: { ...one, "team-b": role("team-b") } },
      { desired: { [credentialKey("team-a")]: AS_OBSERVED, [credentialKey("team-b")]: TEMPLATE }, adopted: "Adopting" },
    ],
    [
      "whose grant was taken back is left out as soon as the XR controls it, so that Crossplane deletes it",
      {
        xr: granting(store, to("team-b"), both),
        observed: Object.fromEntries(both.map((team) => [team, role(team, controlledBy("uid-now"))])),
      },
      { desired: { [credentialKey("team-b")]: TEMPLATE }, adopted: "NoLongerDesired" },
    ],
    [
      "whose grant was taken back stops the XR where nothing proves who composed it",
      { xr: granting(restoredStore, to(), ["team-a"]), observed: { "team-a": role("team-a", { labels: {} }) } },
      { desired: {}, adopted: "Unproven" },
      "its label crossplane.io/composite is not set",
    ],
    [
      "that is not restored yet stops the XR, so that none is made anew",
      { xr: granting(restoredStore, to(...both), both), observed: one, found: { "team-b": [] } },
      { desired: { ...kept, [credentialKey("team-b")]: TEMPLATE }, adopted: "MissingAfterRestore" },
      "orders-team-b",
    ],
    [
      "that the XR's former self controls stops the XR, so that none is made beside it",
      {
        xr: granting(restoredStore, to("team-a"), ["team-a"]),
        found: { "team-a": [role("team-a", controlledBy("uid-before"))] },
      },
      { desired: kept, adopted: "StaleController" },
      "uid-before",
    ],
    [
      "stays while the Namespaces that a label grants are not looked up",
      { xr: granting(restoredStore, { [SELECTOR]: "team=orders" }, ["team-a"]), observed: one },
      stays,
    ],
    [
      "stays where all namespaces are granted",
      { xr: granting(restoredStore, to("*"), ["team-a"]), observed: one },
      stays,
    ],
  ])("%s", (_reason, restore, { desired, adopted }, fatal) => {
    const outcome = reconcile(restore);
    expect({ desired: outcome.desired, adopted: outcome.adopted }).toEqual({ desired, adopted });
    expect(outcome.fatal).toEqual(fatal === undefined ? [] : [expect.stringContaining(fatal)]);
  });

  test("that is not observed is looked up by its name before anything is decided", () => {
    const { asked, lookUp, fatal, adopted } = reconcile({ xr: granting(restoredStore, to("team-a"), ["team-a"]) });
    expect([asked, fatal, adopted]).toEqual([[lookUp("team-a")], [], "WaitingForRequiredResources"]);
  });
});
