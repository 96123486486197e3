import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { type ApiClient, toClient, toCluster } from "../../../cli/cluster/cluster.ts";
import { connect } from "../../../cli/cluster/connection.ts";
import { discover, findKindsByName, toFullName } from "../../../cli/cluster/discovery.ts";
import { inParallel, list as listDocuments } from "../../../cli/cluster/list.ts";
import { type ApiServer, connectTo, type Fault, kindOf, startApiServer } from "../../../testing/servers/api-server.ts";
import { temporaryFile } from "../../../testing/tools/temporary-folder.ts";

const BUCKET = kindOf("s3.aws.upbound.io", "Bucket");
const NAMESPACED = kindOf("s3.aws.m.upbound.io", "Bucket");
const QUEUE = kindOf("sqs.aws.upbound.io", "Queue", { names: ["queue", "queues", "q"] });
const kinds = [QUEUE, BUCKET, NAMESPACED];

const apiVersion = "s3.aws.upbound.io/v1beta1";
const bucket = (name: string, labels = {}) => ({ apiVersion, kind: "Bucket", metadata: { name, labels } });

const QUICK = { forMs: 2000, firstMs: 10, maxMs: 50 };

function clusterOf(server: ApiServer, waits: string[] = []): ApiClient {
  return toClient(connectTo(server), { retry: QUICK, onWait: ({ message }) => waits.push(message) });
}

const list = async (...args: Parameters<typeof listDocuments>) =>
  (await listDocuments(...args)).map((document) => document.toObject());

test("of several requests at a time that fail, the first in order is reported, and no more are sent", async () => {
  const sent: number[] = [];
  const fail = async (item: number): Promise<never> => {
    sent.push(item);
    await new Promise((resolve) => setTimeout(resolve, 50 - 5 * item));
    throw new Error(`failure of ${item}`);
  };
  await expect(inParallel([...Array(20).keys()], fail)).rejects.toThrow("failure of 0");
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("knows where it is", async () => {
  const server = await startApiServer({ kinds });
  expect(clusterOf(server)).toMatchObject({ server: server.url, namespace: "team-a" });
});

test("finds the kinds that are installed", async () => {
  const server = await startApiServer({ kinds });
  expect(await discover(clusterOf(server))).toEqual([NAMESPACED, BUCKET, QUEUE]);
  expect(server.requests).toEqual(["/apis", "/api"]);
});

test("an API server before Kubernetes 1.27 is an error that says so", async () => {
  const server = await startApiServer({ kinds, faults: [{ status: 200, body: '{"kind":"APIGroupList"}' }] });
  await expect(discover(clusterOf(server))).rejects.toThrow(
    "no aggregated discovery, which needs Kubernetes 1.27 or later",
  );
});

test.each([
  { text: "Bucket", names: ["buckets.s3.aws.upbound.io", "buckets.s3.aws.m.upbound.io"] },
  { text: "buckets.s3.aws.upbound.io", names: ["buckets.s3.aws.upbound.io"] },
  { text: "bucket.v1beta1.s3.aws.upbound.io", names: ["buckets.s3.aws.upbound.io"] },
  { text: "q", names: ["queues.sqs.aws.upbound.io"] },
  { text: "topic", names: [] },
])("by $text means $names", ({ text, names }) => {
  expect(findKindsByName(text, kinds).map(toFullName)).toEqual(names);
});

const many = Array.from({ length: 501 }, (_, index) => bucket(`bucket-${index}`));

test("lists page by page", async () => {
  const server = await startApiServer({ kinds, objects: many });
  expect(await list(clusterOf(server), BUCKET)).toEqual(many);
  const path = "/apis/s3.aws.upbound.io/v1beta1/buckets?limit=500";
  expect(server.requests).toEqual([path, `${path}&continue=500`]);
});

test("lets the API server select by label", async () => {
  const server = await startApiServer({ kinds, objects: [bucket("a"), bucket("b", { team: "x" })] });
  expect(await list(clusterOf(server), BUCKET, { labelSelector: "team=x" })).toEqual([bucket("b", { team: "x" })]);
  expect(server.requests).toEqual(["/apis/s3.aws.upbound.io/v1beta1/buckets?limit=500&labelSelector=team%3Dx"]);
});

test("begins a list anew whose pages have become too old", async () => {
  const server = await startApiServer({ kinds, objects: many });
  server.expired.add("500");
  expect(await list(clusterOf(server), BUCKET)).toHaveLength(501);
  expect(server.requests).toHaveLength(4);
});

const BUSY = { status: 429, headers: { "retry-after": "0" } };
const AWAY = { status: 503, body: "no healthy upstream" };

test.each<{ reason: string; faults: readonly Fault[] }>([
  { reason: "too many requests", faults: [BUSY, BUSY, BUSY] },
  { reason: "a server that is away", faults: [AWAY, AWAY] },
  { reason: "a connection that breaks", faults: ["hang up", "hang up"] },
  { reason: "all of them", faults: ["hang up", BUSY, AWAY] },
])("outlasts $reason", async ({ faults }) => {
  const server = await startApiServer({ kinds, objects: [bucket("a")], faults });
  const waits: string[] = [];
  const cluster = clusterOf(server, waits);
  expect(await list(cluster, BUCKET)).toHaveLength(1);
  expect(waits).toHaveLength(faults.length);
});

test("waits as long as the API server asks for", async () => {
  const server = await startApiServer({ kinds, faults: [{ status: 429, headers: { "retry-after": "1" } }] });
  const start = Date.now();
  await list(clusterOf(server), BUCKET);
  expect(Date.now() - start).toBeGreaterThan(950);
});

const saying = (message: string): string => JSON.stringify({ kind: "Status", message });
const SLOW_DOWN = { status: 429, headers: { "retry-after": "3600" }, body: saying("slow down") };
const UNKNOWN = { status: 401, body: saying("who?") };
test.each<[reason: string, message: string, faults: readonly Fault[]]>([
  ["stays away for longer than there is time", "503 no healthy upstream", Array(500).fill(AWAY)],
  ["wants to be left alone for longer than there is time", "429 slow down", [SLOW_DOWN]],
  ["does not know the token", "the API server does not accept these credentials (who?)", [UNKNOWN, UNKNOWN]],
  ["answers with something else", "the answer is not JSON", [{ status: 200, body: "<html>" }]],
])("gives up on one that %s: %s", async (_, message, faults) => {
  const server = await startApiServer({ kinds, faults });
  await expect(list(clusterOf(server), BUCKET)).rejects.toThrow(`cannot list buckets.s3.aws.upbound.io: ${message}`);
});

test.each([
  { namespace: undefined, where: "", role: "a ClusterRole" },
  { namespace: "team-a", where: ' in namespace "team-a"', role: 'a Role in "team-a" or a ClusterRole' },
])("names the verb that RBAC lacks, and what grants it (namespace: $namespace)", async ({ namespace, where, role }) => {
  const server = await startApiServer({ kinds, forbidden: ["buckets"] });
  await expect(list(clusterOf(server), NAMESPACED, namespace === undefined ? {} : { namespace })).rejects.toThrow(
    `cannot list buckets.s3.aws.m.upbound.io${where}: RBAC lacks the verb "list" for user ` +
      `"system:serviceaccount:platform:registry"; grant it in ${role}: ` +
      '{apiGroups: ["s3.aws.m.upbound.io"], resources: ["buckets"], verbs: ["list"]}',
  );
  expect(server.requests).toHaveLength(1);
});

test.each([
  { reason: "no such file", options: { kubeconfig: "/nowhere/kubeconfig" }, message: "no such file" },
  {
    reason: "no such context",
    options: { context: "prod" },
    message: 'the kubeconfig has no context "prod"; it has test',
  },
])("cannot find a cluster: $reason", async ({ options, message }) => {
  const { kubeconfig } = await startApiServer({ kinds });
  expect(() => connect({ kubeconfig, env: {}, ...options })).toThrow(message);
});

test("does not wait for a server whose certificate is another's", async () => {
  const [one, other] = [await startApiServer({ kinds }), await startApiServer({ kinds })];
  const kubeconfig = temporaryFile("kubeconfig", readFileSync(one.kubeconfig, "utf8").replace(one.url, other.url));
  const onWait = vi.fn();
  const cluster = toClient(connect({ kubeconfig, env: {} }), { retry: QUICK, onWait });
  await expect(toCluster(cluster)).rejects.toThrow(`cannot get /apis: cannot reach ${other.url}: `);
  expect(onWait).not.toHaveBeenCalled();
});
