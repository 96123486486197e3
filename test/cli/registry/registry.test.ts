import { expect, test } from "vitest";
import { PLATFORM, type Registered, registered } from "../../../testing/builders/registered.ts";
import { kindOf, startApiServer } from "../../../testing/servers/api-server.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";

const BUCKET = kindOf("s3.aws.upbound.io", "Bucket");
const kinds = [
  BUCKET,
  kindOf("s3.aws.m.upbound.io", "Bucket"),
  kindOf("sqs.aws.upbound.io", "Queue"),
  kindOf("widgets.example.org", "Widget"),
  kindOf("platform.example.org", "XBucket", { categories: ["composite"] }),
];

const A = `${PLATFORM}/team-a/orders`;
const B = `${PLATFORM}/team-b/orders`;
const objects = [
  registered({ bucket: "orders", owner: A }),
  registered({ bucket: "orders", owner: B, role: "Observer", ownedBy: A, since: "2026-03-02T10:00:00Z" }),
  registered({ bucket: "orders", owner: `${PLATFORM}/team-c/us`, region: "us-east-1" }),
  registered({ bucket: "logs", owner: `${PLATFORM}/team-b/logs` }),
];

async function run(
  args: readonly string[],
  prepare: (server: Awaited<ReturnType<typeof startApiServer>>) => void = () => {},
) {
  const server = await startApiServer({ kinds, objects });
  prepare(server);
  return { ...(await runCommand("registry", [...args, "--kubeconfig", server.kubeconfig, "--retry-for=2s"])), server };
}

test("list has a line for each cloud resource", async () => {
  const { exitCode, stdout } = await run(["list"]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    [
      "KIND                       EXTERNAL NAME   STATE   OWNER                                        NAMESPACE   CONTENDERS   SINCE",
      `Bucket.s3.aws.upbound.io   logs            Owned   ${PLATFORM}/team-b/logs     team-b      0            2026-03-01T10:00:00Z`,
      `Bucket.s3.aws.upbound.io   orders          Owned   ${A}   team-a      1            2026-03-01T10:00:00Z`,
      `Bucket.s3.aws.upbound.io   orders          Owned   ${PLATFORM}/team-c/us       team-c      0            2026-03-01T10:00:00Z`,
      "",
    ].join("\n"),
  );
});

const HOSTILE = "x\u001b]0;title\u0007\nBucket.s3.aws.upbound.io   payroll   Owned   Shop.apps/team-evil/x";

test("an external name adds no line to list, and does not steer the terminal", async () => {
  const { stdout } = await run(["list"], (server) => {
    server.objects.splice(0, Number.POSITIVE_INFINITY, registered({ bucket: HOSTILE, owner: A }));
  });
  expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  expect(stdout).toContain("x\\u001b]0;title\\u0007\\u000aBucket");
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
});

test.each([
  { flags: ["--contended"], names: ["orders"] },
  { flags: ["--namespace=team-b"], names: ["logs", "orders"] },
  { flags: ["buckets.s3.aws.upbound.io"], names: ["logs", "orders", "orders"] },
  { flags: ["queue"], names: [] },
])("list $flags has $names", async ({ flags, names }) => {
  const { stdout } = await run(["list", ...flags, "-o", "json"]);
  expect((JSON.parse(stdout) as { items: { externalName: string }[] }).items.map((item) => item.externalName)).toEqual(
    names,
  );
});

const x = (owner: string, more: Partial<Registered> = {}) => registered({ bucket: "x", owner, ...more });

test.each([
  {
    reason: "an owner and an observer",
    more: [x(A), x(B, { role: "Observer", ownedBy: A })],
    roles: ["Owner", "Contender"],
  },
  {
    reason: "an owner that goes",
    more: [x(A, { isDeleting: true }), x(B, { role: "Observer" })],
    roles: ["Contender", "BeingDeleted"],
  },
  {
    reason: "no owner yet",
    more: [x(A, { role: "Observer" }), x(B, { role: "Observer" })],
    roles: ["Next", "Contender"],
  },
  { reason: "two that both own", more: [x(A), x(B, { group: "s3.aws.m.upbound.io" })], roles: ["Owner", "Owner"] },
])("who-owns in a table: $reason: $roles", async ({ more, roles }) => {
  const { stdout } = await run(["who-owns", "bucket", "x"], (server) => {
    server.objects.push(...more);
  });
  expect(stdout.trim().match(/(?<=\n)\w+/g)).toEqual(roles);
});

test("a look-up without an owner has JSON as well", async () => {
  expect((await run(["who-owns", "bucket/nothing", "-o", "json"])).stdout).toBe('{\n  "items": []\n}\n');
});

test("nothing registered is said", async () => {
  const { exitCode, stdout } = await run(["list", "queues"]);
  expect([exitCode, stdout]).toEqual([0, "No cloud resources are registered.\n"]);
});

test("who-owns names the owner and who else needs it", async () => {
  const { exitCode, stdout, server } = await run([
    "who-owns",
    "bucket",
    "orders",
    "--scope=region=eu-west-1",
    "-ojson",
  ]);
  expect(exitCode).toBe(0);
  const claim = (team: string) => ({ namespace: team, claim: `${team}/orders`, composite: "orders-x" });
  const managed = (team: string) => ({ managedResource: `buckets.s3.aws.upbound.io/orders-${team}-orders` });
  expect(JSON.parse(stdout)).toEqual({
    items: [
      {
        apiGroup: "s3.aws.upbound.io",
        kind: "Bucket",
        externalName: "orders",
        id: "arn:aws:s3:::orders",
        providerConfig: "default",
        scope: { region: "eu-west-1" },
        state: "Owned",
        owner: { owner: A, role: "Owner", ...claim("team-a"), ...managed("team-a"), since: "2026-03-01T10:00:00Z" },
        contenders: [
          { owner: B, role: "Contender", ...claim("team-b"), ...managed("team-b"), since: "2026-03-02T10:00:00Z" },
        ],
        identity: "id-orders-eu-west-1-default",
      },
    ],
  });
  expect(server.requests).toHaveLength(4); // two of discovery, and one for each of the two kinds of Bucket
});

test("who-owns asks for as much with ten thousand managed resources", async () => {
  const server = await startApiServer({ kinds: [BUCKET], objects });
  for (let index = 0; index < 10_000; index++) {
    server.objects.push(registered({ bucket: `bucket-${index}`, owner: `${PLATFORM}/team-x/bucket-${index}` }));
  }
  const args = ["who-owns", "bucket/bucket-9999", `--kubeconfig=${server.kubeconfig}`];
  const { stdout } = await runCommand("registry", args);
  expect(stdout).toContain(`${PLATFORM}/team-x/bucket-9999`);
  expect(server.requests).toHaveLength(3);
});

test.each([
  {
    reason: "a managed resource's name leads there as well",
    args: ["bucket", "logs-team-b-logs"],
    exitCode: 0,
    says: "team-b/logs",
  },
  { reason: "nobody", args: ["bucket", "nothing"], exitCode: 1, says: 'no owner of bucket "nothing"' },
  {
    reason: "another ProviderConfig",
    args: ["bucket", "logs", "--provider-config=prod"],
    exitCode: 1,
    says: "no owner of bucket",
  },
  {
    reason: "a kind that is not installed",
    args: ["topic", "x"],
    exitCode: 2,
    says: 'cannot find the kind "topic": no such CRD is installed',
  },
  {
    reason: "a kind that is none",
    args: ["xbucket", "x"],
    exitCode: 2,
    says: "cannot ask for xbuckets.platform.example.org: it is no managed resource",
  },
  {
    reason: "a field of --scope that the kind does not have is told the close one",
    args: ["bucket", "orders", "--scope=regoin=eu-west-1"],
    exitCode: 2,
    says: /--scope: regoin: no location field of Bucket: one of [^;]*; did you mean region\?\n/,
  },
  {
    reason: "--scope with a field that does not tell where a kind is of which nothing is known",
    args: ["widget", "x", "--scope=colour=red"],
    exitCode: 2,
    says: "--scope: colour: no location field of Widget: one of location, project, region",
  },
])("who-owns: $reason: exit code $exitCode", async ({ args, exitCode, says }) => {
  const ran = await run(["who-owns", ...args]);
  expect(ran.stdout + ran.stderr).toMatch(says);
  expect(ran.exitCode).toBe(exitCode);
});

test("list shows what can be listed, says which verb is lacking for the rest, and fails", async () => {
  const { exitCode, stdout, stderr } = await run(["list"], (server) => {
    server.forbidden.add("queues");
  });
  expect(exitCode).toBe(2);
  expect(stdout).toContain("logs");
  expect(stderr).toContain('cannot list queues.sqs.aws.upbound.io: RBAC lacks the verb "list"');
});

test("outlasts an API server that is busy, and says so", async () => {
  const { exitCode, stderr } = await run(["list", "queue"], (server) => {
    server.faults.push({ status: 429, headers: { "retry-after": "0" } }, { status: 503, body: "starting\u001b[2J" });
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("cannot get /apis: 503 starting\\u001b[2J; again in 0.5 s");
});
