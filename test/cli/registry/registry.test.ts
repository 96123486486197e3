import { expect, test } from "vitest";
import { PLATFORM, type Registered, registered } from "../../../testing/builders/registered.ts";
import { type ApiServerOptions, kindOf, runOn } from "../../../testing/servers/api-server.ts";

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
const LATER = "2026-03-02T10:00:00Z";
const objects = [
  registered({ bucket: "orders", owner: A }),
  registered({ bucket: "orders", owner: B, role: "Observer", ownedBy: A, since: LATER }),
  registered({ bucket: "orders", owner: `${PLATFORM}/team-c/us`, region: "us-east-1" }),
  registered({ bucket: "logs", owner: `${PLATFORM}/team-b/logs` }),
];

const run = (args: readonly string[], cluster: Partial<ApiServerOptions> = {}) =>
  runOn({ kinds, objects, ...cluster }, "registry", args);

test("list has a line for each cloud resource", async () => {
  const { exitCode, stdout } = await run(["list"]);
  expect(exitCode).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "KIND                       EXTERNAL NAME   STATE   OWNER                                        NAMESPACE   CONTENDERS   SINCE",
    `Bucket.s3.aws.upbound.io   logs            Owned   ${PLATFORM}/team-b/logs     team-b      0            2026-03-01T10:00:00Z`,
    `Bucket.s3.aws.upbound.io   orders          Owned   ${A}   team-a      1            2026-03-01T10:00:00Z`,
    `Bucket.s3.aws.upbound.io   orders          Owned   ${PLATFORM}/team-c/us       team-c      0            2026-03-01T10:00:00Z`,
    "",
  ]);
});

const HOSTILE = "x\u001b]0;title\u0007\nBucket.s3.aws.upbound.io   payroll   Owned   Shop.apps/team-evil/x";

test("an external name adds no line to list, and does not steer the terminal", async () => {
  const { stdout } = await run(["list"], { objects: [registered({ bucket: HOSTILE, owner: A })] });
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
  const { items } = JSON.parse((await run(["list", ...flags, "-o", "json"])).stdout);
  expect(items.map(({ externalName }: { externalName: string }) => externalName)).toEqual(names);
});

const x = (owner: string, more: Partial<Registered> = {}) => registered({ bucket: "x", owner, ...more });

test.each([
  ["an owner and an observer", ["Owner", "Contender"], [x(A), x(B, { role: "Observer", ownedBy: A })]],
  ["an owner that goes", ["Contender", "BeingDeleted"], [x(A, { isDeleting: true }), x(B, { role: "Observer" })]],
  ["no owner yet", ["Next", "Contender"], [x(A, { role: "Observer" }), x(B, { role: "Observer" })]],
  ["two that both own", ["Owner", "Owner"], [x(A), x(B, { group: "s3.aws.m.upbound.io" })]],
])("who-owns in a table: %s: %j", async (_, roles, more) => {
  const { stdout } = await run(["who-owns", "bucket", "x"], { objects: more });
  expect(stdout.trim().match(/(?<=\n)\w+/g)).toEqual(roles);
});

test("a look-up without an owner has JSON as well", async () => {
  expect((await run(["who-owns", "bucket/nothing", "-o", "json"])).stdout).toBe('{\n  "items": []\n}\n');
});

test("nothing registered is said", async () => {
  const { exitCode, stdout } = await run(["list", "queues"]);
  expect([exitCode, stdout]).toEqual([0, "No registered cloud resources found.\n"]);
});

test("who-owns names the owner and who else needs it", async () => {
  const args = ["who-owns", "bucket", "orders", "--scope=region=eu-west-1", "-ojson"];
  const { exitCode, stdout, server } = await run(args);
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
        contenders: [{ owner: B, role: "Contender", ...claim("team-b"), ...managed("team-b"), since: LATER }],
        identity: "id-orders-eu-west-1-default",
      },
    ],
  });
  expect(server.requests).toHaveLength(4); // two of discovery, and one for each of the two kinds of Bucket
});

test("who-owns asks for as much with ten thousand managed resources", async () => {
  const many = Array.from({ length: 10_000 }, (_, index) =>
    registered({ bucket: `bucket-${index}`, owner: `${PLATFORM}/team-x/bucket-${index}` }),
  );
  const { stdout, server } = await run(["who-owns", "bucket/bucket-9999"], { kinds: [BUCKET], objects: many });
  expect(stdout).toContain(`${PLATFORM}/team-x/bucket-9999`);
  expect(server.requests).toHaveLength(3);
});

test.each([
  ["a managed resource's name leads there as well", 0, ["bucket", "logs-team-b-logs"], "team-b/logs"],
  ["nobody", 1, ["bucket", "nothing"], 'no owner of bucket "nothing"'],
  ["another ProviderConfig", 1, ["bucket", "logs", "--provider-config=prod"], "no owner of bucket"],
  ["a kind that is not installed", 2, ["topic", "x"], 'cannot find the kind "topic": no such CRD is installed'],
  [
    "another kind",
    2,
    ["xbucket", "x"],
    "cannot look up owners of xbuckets.platform.example.org: not a managed resource",
  ],
  [
    "a field of --scope that the kind does not have is told the close one",
    2,
    ["bucket", "orders", "--scope=regoin=eu-west-1"],
    /--scope: regoin: not a location field of Bucket, which has [^;]*; did you mean region\?\n/,
  ],
  [
    "--scope with a field that does not tell where a kind is of which nothing is known",
    2,
    ["widget", "x", "--scope=colour=red"],
    "--scope: colour: not a location field of Widget, which has location, project, region",
  ],
])("who-owns: %s: exit code %s", async (_, exitCode, args, says) => {
  const ran = await run(["who-owns", ...args]);
  expect(ran.stdout + ran.stderr).toMatch(says);
  expect(ran.exitCode).toBe(exitCode);
});

test("list shows what can be listed, says which verb is lacking for the rest, and fails", async () => {
  const { exitCode, stdout, stderr } = await run(["list"], { forbidden: ["queues"] });
  expect(exitCode).toBe(2);
  expect(stdout).toContain("logs");
  expect(stderr).toContain('cannot list queues.sqs.aws.upbound.io: RBAC lacks the verb "list"');
});

test("outlasts an API server that is busy, and says so", async () => {
  const busy = { status: 429, headers: { "retry-after": "0" } };
  const faults = [busy, { status: 503, body: "starting\u001b[2J" }];
  const { exitCode, stderr } = await run(["list", "queue"], { faults });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("cannot get /apis: 503 starting\\u001b[2J; asking again in 0.5 s");
});
