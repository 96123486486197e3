import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { ANSWER_LABEL, composeAnswer } from "../../../src/records/answer.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import { consumersDraft, ownDatabase, SHARED, shopIn } from "../../../testing/builders/consumers.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";
import { requirementsIn, statusOf } from "../../../testing/builders/read-draft.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";

const { apiVersion, kind, name } = SHARED;
const OWN = { "consumers/of": [] };

/** The database, which another XR serves. */
const database = (metadata: JsonObject = {}): JsonObject => ownDatabase({ [ALLOWED]: "team-a" }, {}, metadata);

const companion = (metadata: JsonObject = {}, of = name): JsonObject =>
  objectOf("data.example.org/v1", "XKeeper", { name: "keeper", uid: "keeper-uid", ...metadata }, { spec: { of } });

/** A Secret with the credential of a namespace. */
const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "databases" } });

const secretRef = { nameFieldPath: "metadata.name", namespaceFieldPath: "metadata.namespace" };
const section = {
  of: { apiVersion, kind, name: { fromCompositeFieldPath: "spec.of" } },
  list: { toCompositeFieldPath: "status.consumers" },
  credentials: { template: secret("orders-{namespace}-{hash}"), secretRef },
};
const CREDENTIAL = "consumers/credentials/team-a/Secret";
const OWN_SECRET = "orders-team-a-5c91f7386ee861a4";
const USAGE = "consumers/usage/protection.crossplane.io/v1beta1/ClusterUsage";
const ANSWER = "consumers/answers/team-a";
const asking = shopIn("team-a", { credentialFor: "team-a" });

const draftOf = ({ answers = {}, ...parts }: CallParts = {}): Draft => {
  const all = { ...OWN, "consumers/of": [database()], "consumers/ConfigMap": [asking], ...answers };
  return consumersDraft(section, { xr: companion(), ...parts, answers: all });
};
const says = ({ conditions: [condition] }: Draft) => condition && `${condition.status} ${condition.reason}`;

describe("a companion", () => {
  const made = draftOf({ observed: { [CREDENTIAL]: secret(OWN_SECRET) } });

  test("lists the consumers of the shared XR in its own status, protects that one, and makes the credentials", () => {
    expect(statusOf(made)).toMatchObject({ count: 1, withoutGrant: 0 });
    expect(made.resources.get(USAGE)).toMatchObject({ object: { spec: { of: { kind, resourceRef: { name } } } } });
    expect([...made.resources.keys()]).toEqual([USAGE, CREDENTIAL, ANSWER]);
    expect(says(made)).toBe("True Served");
  });

  test("answers in the name of the shared XR, as its second owner", () => {
    const answer = { secret: { namespace: "databases", name: OWN_SECRET } };
    const own = composeAnswer(toComposite(documentOf(database())), "team-a", answer);
    const ownerReferences = [{ apiVersion, kind, name, uid: "database-uid" }];
    const object = { ...own, metadata: { ...(own["metadata"] as JsonObject), ownerReferences } };
    expect(made.resources.get(ANSWER)).toMatchObject({ object });
  });

  test("counts exactly beyond fifty: no consumer watches it", () => {
    const records = Array.from({ length: 73 }, () => shopIn("team-b", { access: "Requested" }));
    const draft = draftOf({ answers: { "consumers/ConfigMap": [asking, ...records] } });
    expect(statusOf(draft)).toMatchObject({ count: 1, withoutGrant: 73 });
    expect(draft.conditions[0]?.message).toContain(
      `consumers that ask for a grant: 73; to list the consumers: kubectl shared-infrastructure registry consumers ${kind}.data.example.org ${name}`,
    );
  });

  test("asks for the shared XR in its own namespace, and then for what that one says", () => {
    const first = requirementsIn(draftOf({ answers: { "consumers/of": "pending" } }));
    expect(Object.fromEntries(first)).toEqual({ "consumers/of": { apiVersion, kind, match: { name } } });
    const inside = { xr: companion({ namespace: "team-a" }), answers: { "consumers/of": "pending" } as const };
    expect(requirementsIn(draftOf(inside)).get("consumers/of")).toMatchObject({ namespace: "team-a" });
  });

  const claimed = (namespace: string) => ({ labels: { "crossplane.io/claim-namespace": namespace } });
  const inEvil = { namespace: "evil" };
  test.each<[reason: string, isServed: boolean, shared: readonly JsonObject[], xr?: JsonObject]>([
    ["that is gone", false, []],
    ["of the platform, for a team's claim", false, [database()], companion(claimed("evil"))],
    ["of another team's claim", false, [database(claimed("team-b"))], companion(claimed("evil"))],
    ["of a team, for the platform", false, [database(claimed("team-b"))]],
    ["of the same claims' namespace", true, [database(claimed("team-b"))], companion(claimed("team-b"))],
    ["of another namespace, which v2.2's render finds", false, [database({ namespace: "team-b" })], companion(inEvil)],
    ["without a namespace, for an XR in one", false, [database()], companion(inEvil)],
    ["that it does not name", false, [], companion({}, "")],
    ["of what is no name", false, [], companion({}, "../orders")],
  ])("of a shared XR %s: served is %s", (_reason, isServed, shared, xr = companion()) => {
    const answers = { "consumers/of": shared };
    const asked = (draft: Draft) => [...requirementsIn(draft).keys()].includes("consumers/ConfigMap");
    const draft = draftOf({ xr, answers });
    expect([says(draft), asked(draft), draft.resources.size]).toEqual(
      isServed ? ["False WaitingForCredentials", true, 2] : ["False SharedResourceNotFound", false, 0],
    );
    expect(statusOf(draft) === undefined).toBe(!isServed);
  });

  test("says which field does not name the shared XR", () => {
    const [unnamed, missing] = [companion({}, ""), companion()].map((xr) => {
      return draftOf({ xr, answers: { "consumers/of": [] } }).conditions[0]?.message;
    });
    expect(unnamed).toBe("spec.of of the XR is not set, so it is not known which XPostgres this XR serves");
    expect(missing).toContain("found no XPostgres orders, or only another team's");
  });

  test.each<[what: string, shared: readonly JsonObject[] | "pending", says: string]>([
    ["is looked up", "pending", "Unknown WaitingForRequiredResources"],
    ["is missing, as before it is restored", [], "False SharedResourceNotFound"],
  ])("keeps everything as it is while the shared XR %s", (_what, shared, condition) => {
    const usage = { apiVersion: "protection.crossplane.io/v1beta1", kind: "ClusterUsage", spec: { reason: "r" } };
    const answer = {
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      metadata: { labels: { [ANSWER_LABEL]: "y" }, ownerReferences: [{ uid: "database-uid" }] },
      data: { secretName: "orders-team-a-1", secretNamespace: "databases" },
    };
    const observed = { [CREDENTIAL]: secret("orders-team-a-1"), [USAGE]: usage, [ANSWER]: answer };
    const xr = { ...companion(), status: { consumers: { count: 7 } } };
    const draft = draftOf({ xr, observed, answers: { "consumers/of": shared } });
    expect([...draft.resources].map(([key, edit]) => [key, edit.is === "set" && edit.object])).toEqual([
      [USAGE, usage],
      [CREDENTIAL, expect.objectContaining({ kind: "Secret" })],
      [ANSWER, answer],
    ]);
    expect([says(draft), statusOf(draft)]).toEqual([condition, { count: 7 }]);
  });
});
