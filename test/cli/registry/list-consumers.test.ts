import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { withMetadata } from "../../../testing/builders/composed.ts";
import { claimRecord, recordIn, SELECTOR } from "../../../testing/builders/consumers.ts";
import { namespaceOf, objectOf, referenceGrant } from "../../../testing/builders/kubernetes.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";
import { kindOf, runOn } from "../../../testing/servers/api-server.ts";
import { sharingKinds } from "../../../testing/servers/kinds.ts";

const kinds = [
  ...sharingKinds,
  kindOf("gateway.networking.k8s.io", "ReferenceGrant", { isNamespaced: true, categories: [] }),
  kindOf("", "Namespace", { version: "v1", categories: [] }),
  kindOf("a.example.org", "Cluster"),
  kindOf("b.example.org", "Cluster"),
  kindOf("data.example.org", "Postgres", { isNamespaced: true, categories: ["composite"] }),
];

const database = (annotations: JsonObject): JsonObject =>
  objectOf("data.example.org/v1beta1", "XPostgres", { name: "orders", annotations });

const dependents = ["push", "policy-ids", "\u001b[2J"];
function run(args: readonly string[], shared: readonly JsonObject[]) {
  const objects = [
    ...shared,
    recordIn("team-b", "App.apps.example.org/team-b/app"),
    withMetadata(claimRecord("team-a", undefined, { secrets: ["team-a/orders-db"], dependents }), { name: "a" }),
    withMetadata(claimRecord("team-z", undefined, {}), { name: "z" }),
    withMetadata(namespaceOf("team-b"), { labels: { team: "orders" } }),
  ];
  return runOn({ kinds, objects }, "registry", ["consumers", ...args]);
}

describe("registry consumers", () => {
  test("has a line for each XR that uses it, and says who has a grant", async () => {
    const owner = database({ [ALLOWED]: "team-a", [SELECTOR]: "team=orders" });
    const { exitCode, stdout } = await run(["XPostgres", "orders"], [owner]);
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "NAMESPACE   KIND                    NAME   SECRET      DEPENDENTS        GRANTED",
      "team-a      Shop.apps.example.org   shop   orders-db   push,policy-ids   yes",
      "team-b      App.apps.example.org    app    orders-db   -                 yes",
      "team-z      Shop.apps.example.org   shop   -           -                 no",
      "",
      "To grant it:",
      "  kubectl label namespace team-z team=orders",
      "",
    ]);
  });

  const allow = `kubectl annotate xpostgres.data.example.org/orders --overwrite ${ALLOWED}=`;
  test.each<[reason: string, annotations: JsonObject, command: string | undefined]>([
    ["keeps who has access by name", { [ALLOWED]: "team-q, team-a" }, `${allow}team-a,team-b,team-q,team-z`],
    ["names namespaces where labels do not", { [SELECTOR]: "team in (orders,sales)" }, `${allow}team-a,team-z`],
    ["is not printed where nobody asks", { [ALLOWED]: "*" }, undefined],
  ])("the command that grants %s", async (_, annotations, command) => {
    const { stdout } = await run(["XPostgres", "orders"], [database(annotations)]);
    expect(/^ {2}(kubectl .*)$/m.exec(stdout)?.[1]).toBe(command);
  });

  test("the command that grants leaves out the platform's own XRs, which ask for all namespaces", async () => {
    const record = claimRecord("team-z", undefined, {});
    const { metadata } = record as Record<"metadata", Record<"labels", JsonObject>>;
    const { "crossplane.io/claim-namespace": _, ...labels } = metadata.labels;
    const platforms = withMetadata(record, { labels, name: "p" });
    const { stdout } = await run(["XPostgres", "orders"], [database({ [ALLOWED]: "team-a" }), platforms]);
    expect(/^ {2}(kubectl .*)$/m.exec(stdout)?.[1]).toBe(`${allow}team-a,team-b,team-z`);
  });

  const spec = { writeConnectionSecretToRef: { namespace: "databases", name: "orders-conn" } };
  test.each<[title: string, granted: string, secretName: string, owner: JsonObject, ...args: readonly string[]]>([
    ["beside the Secret of its spec.writeConnectionSecretToRef", "team-z", "orders-conn", { spec }],
    ["beside the Secret of --secret", "team-z", "pg", {}, "--secret=databases/pg"],
    ["for another Secret", "", "other", {}, "--secret=databases/pg"],
    ["beside a Secret that nothing names", "", "pg", {}],
  ])("a ReferenceGrant %s grants access to '%s'", async (_, granted, secretName, owner, ...args) => {
    const grants = ["team-z", "team-b"].map(
      (namespace) => referenceGrant({ kind: "Shop", namespace }, { name: secretName }), // the App of team-b is another kind
    );
    const { stdout } = await run(["XPostgres", "orders", ...args], [{ ...database({}), ...owner }, ...grants]);
    expect(stdout.match(/^\S+(?=.* yes$)/gm)?.join() ?? "").toBe(granted);
  });

  test("prints JSON with the fields of the status, and dependents", async () => {
    const { stdout } = await run(["xpostgres/orders", "-o", "json"], [database({ [ALLOWED]: "team-a" })]);
    const shop = { kind: "Shop.apps.example.org", name: "shop" };
    const granted = { ...shop, namespace: "team-a", secretName: "orders-db", granted: true };
    expect(JSON.parse(stdout)).toEqual({
      items: [
        { ...granted, dependents: ["push", "policy-ids"] },
        { namespace: "team-b", kind: "App.apps.example.org", name: "app", secretName: "orders-db", granted: false },
        { namespace: "team-z", kind: "Shop.apps.example.org", name: "shop", granted: false },
      ],
    });
  });

  test("shows the consumers of what is gone, and says so", async () => {
    const { exitCode, stdout, stderr } = await run(["XPostgres", "orders"], []);
    expect(exitCode).toBe(1);
    expect(stdout.match(/no$/gm)).toHaveLength(3);
    expect(stderr).toBe('there is no XPostgres "orders", but the XRs above still refer to it\n');
  });

  const elsewhere = objectOf("data.example.org/v1beta1", "Postgres", { namespace: "team-a", name: "orders" });
  test.each<[reason: string, args: readonly string[], exitCode: number, says: string]>([
    ["is looked for in the namespace of the kubeconfig's context", [], 0, ""],
    ["is looked for in --namespace", ["-n", "team-b"], 1, 'there is no Postgres "orders" in namespace team-b\n'],
  ])("a namespaced shared resource %s", async (_, args, exitCode, says) => {
    const ran = await run(["Postgres", "orders", ...args], [elsewhere]);
    expect([ran.exitCode, ran.stderr]).toEqual([exitCode, says]);
  });

  test.each<{ args: readonly string[]; says: string }>([
    { args: ["XPostgres"], says: "expected consumers KIND NAME" },
    {
      args: ["cluster", "orders"],
      says: "cannot tell which cluster is meant: clusters.a.example.org, clusters.b.example.org",
    },
    { args: ["XMySQL", "orders"], says: 'cannot find the kind "XMySQL": no such CRD is installed' },
  ])("of $args fails: $says", async ({ args, says }) => {
    const { exitCode, stderr } = await run(args, []);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});
