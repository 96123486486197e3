import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { mappingOf } from "../../../testing/builders/mapping.ts";
import { OWNER, PLATFORM, registered } from "../../../testing/builders/registered.ts";
import { type ApiServerOptions, runOn, startApiServer } from "../../../testing/servers/api-server.ts";
import { claimKinds as kinds } from "../../../testing/servers/kinds.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFile, temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const objects = [registered({ bucket: "orders", owner: OWNER })];

function mapping(resources: object = {}, more: object = {}) {
  const externalName = { fromFieldPath: "spec.parameters.name" };
  const scope = { region: { fromFieldPath: "spec.parameters.region" } };
  const resource = { apiGroup: "s3.aws.upbound.io", kind: "Bucket", externalName, scope, ...resources };
  return stringify(mappingOf([resource], more));
}

const claim = (namespace: string, name: string, bucket = "orders", region = "eu-west-1") => `\
apiVersion: platform.example.org/v1alpha1
kind: XBucket
metadata:
  namespace: ${namespace}
  name: ${name}
spec:
  parameters:
    name: ${bucket}
    region: ${region}
`;

const TAKEN = `Bucket.s3.aws.upbound.io "orders" is owned by ${OWNER} (buckets.s3.aws.upbound.io/orders-team-a-orders since 2026-03-01T10:00:00Z)`;

function run(stdin: string, args: readonly string[] = [], content = mapping(), more: Partial<ApiServerOptions> = {}) {
  const file = temporaryFile("mapping.yaml", content);
  return runOn({ kinds, objects, ...more }, "preflight", ["--mapping", file, ...args], { stdin });
}

describe("a claim for what somebody else owns", () => {
  test("is a conflict, with line, object, field and owner", async () => {
    expect(await run(`# of team b\n---\n\n---\n${claim("team-b", "orders")}`)).toMatchObject({
      exitCode: 1,
      stdout: `-:12: XBucket.platform.example.org team-b/orders: spec.parameters.name: ${TAKEN}\n`,
      stderr: "1 conflict: 1 object, naming 1 cloud resource\n",
    });
  });

  test("is found in a List, with its line", async () => {
    const items = claim("team-b", "orders").trimEnd().replaceAll("\n", "\n  ");
    const ran = await run(`apiVersion: v1\nkind: List\nitems:\n- ${items}\n`);
    expect(ran).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("-:11: XBucket") });
  });

  test("is found in files and folders, and said in the order of their names", async () => {
    const folder = temporaryFolder({
      "below/a.yaml": claim("team-b", "one"),
      "b.yml": claim("team-c", "two"),
      "c.json": '{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "c"}}',
      "notes.txt": "none of it",
    });
    const { stdout } = await run("", [folder]);
    const places = stdout.split("\n").map((line) => line.split(" ").slice(0, 3).join(" ").replace(folder, ""));
    expect(places).toEqual([
      "/b.yml:8: XBucket.platform.example.org team-c/two:",
      "/below/a.yaml:8: XBucket.platform.example.org team-b/one:",
      "/below/a.yaml:8: XBucket.platform.example.org team-b/one:", // the first one wants it as well
      "",
    ]);
  });

  test("names the chart's template", async () => {
    const { stdout } = await run(`---\n# Source: chart/templates/claim.yaml\n${claim("team-b", "orders")}`);
    expect(stdout).toContain("-:10 (chart/templates/claim.yaml): XBucket");
  });

  test("as JSON", async () => {
    const { stdout, exitCode } = await run(claim("team-b", "orders"), ["-o", "json"]);
    const object = "XBucket.platform.example.org team-b/orders";
    const conflict = { file: "-", line: 8, object, field: "spec.parameters.name", owner: OWNER, message: TAKEN };
    expect(JSON.parse(stdout)).toEqual({ conflicts: [conflict], doubts: [], asked: 1 });
    expect(exitCode).toBe(1);
  });

  test("as an annotation of a GitHub workflow", async () => {
    const file = temporaryFile("claim.yaml", claim("team-b", "orders"));
    const { stdout } = await run("", [file, "--output=github"]);
    const object = "XBucket.platform.example.org team-b/orders";
    expect(stdout).toBe(`::error file=${file},line=8::${object}: spec.parameters.name: ${TAKEN}\n`);
  });
});

const withoutNamespace = claim("team-a", "orders").replace("  namespace: team-a\n", "");
test.each<[reason: string, stdin: string, ...args: readonly string[]]>([
  ["the owner itself", claim("team-a", "orders")],
  ["the owner, whose namespace a flag gives", withoutNamespace, "-nteam-a"],
  ["the same name in another region", claim("team-b", "orders", "orders", "us-east-1")],
  ["nothing at all, where that is allowed", "", "--allow-empty"],
  ["comments only, where that is allowed", "# nothing\n---\n# to see\n", "--allow-empty"],
  ["what is none of Crossplane's", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: orders}\n"],
])("%s is no conflict", async (_, stdin, ...args) => {
  expect(await run(stdin, args)).toMatchObject({ exitCode: 0, stdout: "" });
});

const bucket = (name: string, externalName: string, policies = "") => `apiVersion: s3.aws.upbound.io/v1beta1
kind: Bucket
metadata:
  name: ${name}
  annotations:
    crossplane.io/external-name: ${externalName}
spec:
  forProvider: {region: eu-west-1}
${policies}`;

test.each([
  ["a managed resource that names it", 1, bucket("mine", "orders")],
  ["one that only observes", 0, bucket("mine", "orders", "  managementPolicies: [Observe]\n")],
  ["the very one that has it", 0, bucket("orders-team-a-orders", "orders")],
])("without a mapping: %s: exit code %s", async (_, exitCode, stdin) => {
  expect((await run(stdin)).exitCode).toBe(exitCode);
});

test("two manifests for one cloud resource are in conflict with each other", async () => {
  const stdout =
    "-:18: XBucket.platform.example.org team-c/two: spec.parameters.name: " +
    `Bucket.s3.aws.upbound.io "new" is declared by ${PLATFORM}/team-b/one as well ` +
    "(-:8: XBucket.platform.example.org team-b/one)\n";
  const ran = await run(`${claim("team-b", "one", "new")}---\n${claim("team-c", "two", "new")}`);
  expect(ran).toMatchObject({ exitCode: 1, stdout });
});

const hostile = (kind: string, parameters: object) =>
  JSON.stringify({
    apiVersion: "platform.example.org/v1alpha1",
    kind,
    metadata: { namespace: "team-b", name: "x\u001b[1A\n-:1: fine" },
    spec: { parameters },
  });

test.each([
  { reason: "of a conflict", stdin: hostile("XBucket", { name: "orders" }), args: [], lines: [2, 2] },
  { reason: "of a warning", stdin: hostile("XOther", {}), args: [], lines: [1, 3] },
  { reason: "of an annotation", stdin: hostile("XOther", {}), args: ["--output=github"], lines: [2, 3] },
])("a name adds no line to that $reason, and does not steer the terminal", async ({ stdin, args, lines }) => {
  const { stdout, stderr } = await run(stdin, args);
  expect(stdout + stderr).toContain("team-b/x\\u001b[1A\\u000a-:1: fine: ");
  expect([stdout, stderr].map((text) => text.split("\n").length)).toEqual(lines);
});

test("who observes already is in conflict, unless that is allowed", async () => {
  const owner = `${PLATFORM}/team-b/orders`;
  const observer = registered({ bucket: "orders", owner, role: "Observer", ownedBy: OWNER });
  const runWith = (...flags: readonly string[]) =>
    run(claim("team-b", "orders"), flags, mapping(), { objects: [...objects, observer] });
  expect((await runWith()).exitCode).toBe(1);
  expect((await runWith("--allow-contenders")).exitCode).toBe(0);
});

test("--wait asks again until the owner has gone", async () => {
  const leaving = registered({ bucket: "orders", owner: OWNER, isDeleting: true });
  const server = await startApiServer({ kinds, objects: [leaving] });
  const file = temporaryFile("mapping.yaml", mapping());
  const args = ["--mapping", file, "--kubeconfig", server.kubeconfig, "--wait=10s"];
  const running = runCommand("preflight", args, { stdin: claim("team-b", "orders") });
  setTimeout(() => server.objects.splice(0), 300);
  const stderr = expect.stringContaining("conflicts: 1; asking again in 1 s\n");
  expect(await running).toMatchObject({ exitCode: 0, stderr });
});

test("three hundred objects take a few requests", async () => {
  const chart = Array.from({ length: 300 }, (_, index) =>
    index % 3 === 0
      ? claim("team-b", `claim-${index}`, `bucket-${index}`)
      : `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${index}}\n`,
  );
  const ran = await run([...chart, claim("team-b", "orders")].join("---\n"));
  const stderr = expect.stringContaining("1 conflict: 301 objects, naming 101 cloud resources");
  expect(ran).toMatchObject({ exitCode: 1, stderr });
  expect(ran.server.requests).toHaveLength(5); // two of discovery, and fifty names at a time
});

const x = claim("team-b", "x");
const elsewhere = mapping({ apiGroup: "s3.aws.example.org", scope: {} });
test.each<[reason: string, says: string, stdin: string, content?: string]>([
  ["no mapping for an XR", "-:2: XOther.platform.example.org team-b/x: no mapping", x.replace("XBucket", "XOther")],
  [
    "an object whose kind is not installed",
    "-:2: Xbucket.platform.example.org team-b/x: its kind is not installed, and no mapping",
    x.replace("XBucket", "Xbucket"),
  ],
  ["a field that is not set", "spec.parameters.name is not set", x.replace("    name: orders\n", "")],
  ["a kind that is not installed", "Bucket.s3.aws.example.org is not installed, so no managed", x, elsewhere],
])("what cannot be told is said: %s", async (_, says, stdin, content) => {
  const { exitCode, stderr } = await run(stdin, [], content);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("warning: ")]);
  expect(stderr).toContain(says);
});

const FAILED = "Error: chart not found\n";
const NO_MANIFEST = "not a Kubernetes manifest: it lacks apiVersion or kind";
const beside = `${claim("team-a", "orders")}---\n# not a manifest\nreplicas: 3\n`;
const faulty = mapping({ externalName: "{b", scope: { regoin: "x" } }, { color: "red" });

test.each<[reason: string, says: string, stdin: string, args?: readonly string[], content?: string]>([
  ["broken YAML", "cannot read the manifests:\n  -:", "kind: [\n---\nkind: }\n"],
  ["a tab, with the line in its file", "-:4: Tabs are not allowed as", "a: 1\n---\nkind: ConfigMap\n\tbad: x\n"],
  ["no object", "-:3: not an object", "a: 1\n---\n- 1\n"],
  ["an alias of nothing", "-:1: Unresolved alias (the anchor must be set before the alias): nothing", "a: *nothing\n"],
  ["empty input", "-: no Kubernetes manifest found; --allow-empty accepts that", ""],
  ["comments only", "-: no Kubernetes manifest found", "# nothing\n---\n# to see\n"],
  ["an empty List", "-: no Kubernetes manifest found", "{apiVersion: v1, kind: List, items: []}"],
  ["the message of a renderer that failed", `-:1: ${NO_MANIFEST}`, FAILED],
  ["that message, also where empty input is allowed", `-:1: ${NO_MANIFEST}`, FAILED, ["--allow-empty"]],
  ["an object without a kind among manifests, with its line", `-:12: ${NO_MANIFEST}`, beside],
  ["no such file", "cannot read /nowhere: ENOENT", "", ["/nowhere"]],
  ["a mapping with faults, all of which are said", "mappings[0].color: unknown field", "", [], faulty],
])("exit code 2 for %s", async (_, says, stdin, args, content) => {
  expect(await run(stdin, args, content)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
});

test("exit code 2 where RBAC lacks a verb: unchecked is not fine", async () => {
  const ran = await run(bucket("mine", "orders"), [], mapping(), { forbidden: ["buckets"] });
  const stderr = expect.stringMatching(/RBAC lacks the verb "list".*resources: \["buckets"\], verbs: \["list"\]/);
  expect(ran).toMatchObject({ exitCode: 2, stderr });
});

test("exit code 2 where one of several files is empty: its renderer may have failed", async () => {
  const folder = temporaryFolder({ "full.yaml": claim("team-a", "orders"), "empty.yaml": "" });
  const [full, empty] = [join(folder, "full.yaml"), join(folder, "empty.yaml")];
  const stderr = expect.stringContaining(`${empty}: no Kubernetes manifest found`);
  expect(await run("", [full, empty])).toMatchObject({ exitCode: 2, stderr });
  expect((await run("", [folder])).exitCode).toBe(0); // the folder as a whole is not empty
});
