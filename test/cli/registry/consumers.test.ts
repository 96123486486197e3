import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { claimRecord, recordIn } from "../../../testing/builders/consumers.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";
import { kindOf, startApiServer } from "../../../testing/servers/api-server.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";

const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
const kinds = [
  kindOf("data.example.org", "XPostgres", { categories: ["composite"], plural: "xpostgres" }),
  kindOf("apiextensions.crossplane.io", "EnvironmentConfig", { version: "v1beta1", categories: [] }),
  kindOf("", "ConfigMap", { version: "v1", isNamespaced: true, categories: [] }),
  kindOf("gateway.networking.k8s.io", "ReferenceGrant", { isNamespaced: true, categories: [] }),
  kindOf("", "Namespace", { version: "v1", categories: [] }),
];

const database = (annotations: JsonObject): JsonObject => ({
  apiVersion: "data.example.org/v1beta1",
  kind: "XPostgres",
  metadata: { name: "orders", annotations },
});

const claim = (namespace: string, name: string, binding?: JsonObject): JsonObject =>
  claimRecord(namespace, `Shop.apps.example.org/${namespace}/${name}`, binding);

const labelled: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team-b", labels: { team: "orders" } },
};

async function run(args: readonly string[], shared: readonly JsonObject[]) {
  const objects = [
    ...shared,
    recordIn("team-b", "App.apps.example.org/team-b/app"),
    { ...claim("team-a", "shop"), metadata: { ...(claim("team-a", "shop")["metadata"] as JsonObject), name: "a" } },
    { ...claim("team-z", "shop", {}), metadata: { ...(claim("team-z", "shop")["metadata"] as JsonObject), name: "z" } },
  ];
  const server = await startApiServer({ kinds, objects: [...objects, labelled] });
  return runCommand("registry", ["consumers", ...args, "--kubeconfig", server.kubeconfig, "--retry-for=2s"]);
}

describe("registry consumers", () => {
  test("has a line for each XR that uses it, and says who has a grant", async () => {
    const owner = database({ [ALLOWED]: "team-a", [SELECTOR]: "team=orders" });
    const { exitCode, stdout } = await run(["XPostgres", "orders"], [owner]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "NAMESPACE   KIND                    NAME   SECRET      GRANTED",
        "team-a      Shop.apps.example.org   shop   orders-db   yes",
        "team-b      App.apps.example.org    app    orders-db   yes",
        "team-z      Shop.apps.example.org   shop   -           no",
        "",
        "To grant it:",
        "  kubectl label namespace team-z team=orders",
        "",
      ].join("\n"),
    );
  });

  test.each<{ reason: string; annotations: JsonObject; command: string | undefined }>([
    {
      reason: "keeps who has access by name",
      annotations: { [ALLOWED]: "team-q, team-a" },
      command: `kubectl annotate xpostgres.data.example.org/orders --overwrite ${ALLOWED}=team-a,team-b,team-q,team-z`,
    },
    {
      reason: "names namespaces where labels alone do not say what to set",
      annotations: { [SELECTOR]: "team in (orders,sales)" },
      command: `kubectl annotate xpostgres.data.example.org/orders --overwrite ${ALLOWED}=team-a,team-z`,
    },
    { reason: "is not printed where nobody asks", annotations: { [ALLOWED]: "*" }, command: undefined },
  ])("the command that grants $reason", async ({ annotations, command }) => {
    const { stdout } = await run(["XPostgres", "orders"], [database(annotations)]);
    expect(/^ {2}(kubectl .*)$/m.exec(stdout)?.[1]).toBe(command);
  });

  test("the command that grants leaves out the platform's own XRs, which ask for all namespaces", async () => {
    const { labels, ...metadata } = claim("team-z", "shop")["metadata"] as JsonObject;
    const { "crossplane.io/claim-namespace": _, ...own } = labels as JsonObject;
    const platforms = { ...claim("team-z", "shop", {}), metadata: { ...metadata, labels: own, name: "p" } };
    const { stdout } = await run(["XPostgres", "orders"], [database({ [ALLOWED]: "team-a" }), platforms]);
    expect(/^ {2}(kubectl .*)$/m.exec(stdout)?.[1]).toBe(
      `kubectl annotate xpostgres.data.example.org/orders --overwrite ${ALLOWED}=team-a,team-b,team-z`,
    );
  });

  const referenceGrant = (from: readonly string[], secretName: string): JsonObject => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "ReferenceGrant",
    metadata: { namespace: "databases", name: "shops" },
    spec: {
      from: from.map((namespace) => ({ group: "apps.example.org", kind: "Shop", namespace })),
      to: [{ group: "", kind: "Secret", name: secretName }],
    },
  });

  test.each<{ title: string; spec?: JsonObject; args?: readonly string[]; secretName: string; granted: string }>([
    {
      title: "beside the Secret of its spec.writeConnectionSecretToRef",
      spec: { writeConnectionSecretToRef: { namespace: "databases", name: "orders-conn" } },
      secretName: "orders-conn",
      granted: "team-z",
    },
    { title: "beside the Secret of --secret", args: ["--secret=databases/pg"], secretName: "pg", granted: "team-z" },
    { title: "for another Secret", args: ["--secret=databases/pg"], secretName: "other", granted: "" },
    { title: "beside a Secret that nothing names", secretName: "pg", granted: "" },
  ])("a ReferenceGrant $title grants access to '$granted'", async ({ spec = {}, args = [], secretName, granted }) => {
    const owner = { ...database({}), spec };
    const { stdout } = await run(
      ["XPostgres", "orders", ...args],
      [owner, referenceGrant(["team-z", "team-b"], secretName)], // the App of team-b is another kind
    );
    expect(stdout.match(/^\S+(?=.* yes$)/gm)?.join() ?? "").toBe(granted);
  });

  test("prints JSON with the fields of the status", async () => {
    const { stdout } = await run(["xpostgres/orders", "-o", "json"], [database({ [ALLOWED]: "team-a" })]);
    expect(JSON.parse(stdout)).toEqual({
      items: [
        { namespace: "team-a", kind: "Shop.apps.example.org", name: "shop", secretName: "orders-db", granted: true },
        { namespace: "team-b", kind: "App.apps.example.org", name: "app", secretName: "orders-db", granted: false },
        { namespace: "team-z", kind: "Shop.apps.example.org", name: "shop", granted: false },
      ],
    });
  });

  test("shows the consumers of what is gone, and says so", async () => {
    const { exitCode, stdout, stderr } = await run(["XPostgres", "orders"], []);
    expect(exitCode).toBe(1);
    expect(stdout.match(/no$/gm)).toHaveLength(3);
    expect(stderr).toBe('there is no XPostgres "orders": these still refer to it\n');
  });

  test.each<{ args: readonly string[]; says: string }>([
    { args: ["XPostgres"], says: "expected consumers KIND NAME" },
    { args: ["XMySQL", "orders"], says: 'cannot find the kind "XMySQL": no such CRD is installed' },
  ])("of $args fails: $says", async ({ args, says }) => {
    const { exitCode, stderr } = await run(args, []);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});
