import { EventEmitter, once } from "node:events";
import { rmSync } from "node:fs";
import { request as overHttps } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { externallyNamed, withMetadata } from "../../../testing/builders/composed.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";
import { mappingOf } from "../../../testing/builders/mapping.ts";
import { OWNER, registered } from "../../../testing/builders/registered.ts";
import { type ApiServer, startApiServer } from "../../../testing/servers/api-server.ts";
import { createAuthority, issue, writeCertificates } from "../../../testing/servers/certificates.ts";
import { claimKinds } from "../../../testing/servers/kinds.ts";
import { type Ran, runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const objects = [registered({ bucket: "orders", owner: OWNER })];
const named = { fromFieldPath: "spec.name" };
const mapping = mappingOf([{ apiGroup: "s3.aws.upbound.io", kind: "Bucket", externalName: named }]);

interface Webhook {
  readonly port: number;
  readonly metricsPort: number;
  readonly api: ApiServer;
  readonly ca: string;
  /** Sends SIGTERM. @returns what the program has printed, and its exit code. */
  stop(): Promise<Ran>;
}

/** The program as it is started, on ports of its own. */
async function start(...flags: readonly string[]): Promise<Webhook> {
  const api = await startApiServer({ kinds: claimKinds, objects });
  const folder = temporaryFolder({ "mapping.json": JSON.stringify(mapping) });
  const authority = createAuthority("admission");
  writeCertificates(folder, authority, issue(authority, "webhook"));
  rmSync(join(folder, "ca.crt")); // the API server shows no certificate

  const args = [
    `--mapping=${join(folder, "mapping.json")}`,
    `--tls-certs-dir=${folder}`,
    `--kubeconfig=${api.kubeconfig}`,
    "--address=127.0.0.1:0",
    "--metrics-address=127.0.0.1:0",
    "--lookup-timeout=1s",
    ...flags,
  ];
  const events = new EventEmitter();
  const serving = once(events, "serving");
  const onLog = (line: string) => line.includes('"message":"serving"') && events.emit("serving", JSON.parse(line));
  const ran = runCommand("admission", args, { signal: once(events, "stop").then(String), onLog });
  const failed = ran.then(({ exitCode, stderr }) => Promise.reject(new Error(`ended with ${exitCode}: ${stderr}`)));
  const [{ address, metricsAddress }] = await Promise.race([serving, failed]);
  const portOf = (address: string): number => Number(address.split(":").at(-1));
  const stop = () => {
    events.emit("stop", "SIGTERM");
    return ran;
  };
  onTestFinished(async () => void (await stop()));
  const ports = { port: portOf(address), metricsPort: portOf(metricsAddress) };
  return { ...ports, api, ca: authority.certificate, stop };
}

function send({ port, ca }: Webhook, path: string, body?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { ca, method: body === undefined ? "GET" : "POST", agent: false as const };
    const sent = overHttps(`https://127.0.0.1:${port}${path}`, options, (response) =>
      resolve(text(response).then((answer) => ({ status: response.statusCode ?? 0, body: answer }))),
    );
    sent.on("error", reject).end(body);
  });
}

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string };
  readonly warnings?: readonly string[];
}

async function ask(webhook: Webhook, request: object): Promise<Response> {
  const asked = { uid: "u1", operation: "CREATE", ...request };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: asked };
  const { status, body } = await send(webhook, "/validate", JSON.stringify(review));
  expect(status).toBe(200);
  return JSON.parse(body).response;
}

const claim = (namespace: string, name = "orders", metadata: object = {}) =>
  objectOf("platform.example.org/v1alpha1", "XBucket", { namespace, name: "orders", ...metadata }, { spec: { name } });

const bucket = (name: string, managementPolicies = ["*"], externalName = "orders") => {
  const metadata = { name, annotations: { "crossplane.io/external-name": externalName } };
  const spec = { forProvider: { region: "eu-west-1" }, managementPolicies };
  return objectOf("s3.aws.upbound.io/v1beta1", "Bucket", metadata, { spec });
};

const CROSSPLANE = { username: "system:serviceaccount:crossplane-system:crossplane" };
const byCrossplane = (request: object) => ({ userInfo: CROSSPLANE, ...request });

/** The bucket with these marks of the function. */
const marked = (marks: Readonly<Record<string, string>>, managementPolicies = ["*"]) => {
  const annotations = Object.entries(marks).map(([key, mark]) => [`${DOMAIN}/${key}`, mark]);
  return withMetadata(bucket("mine", managementPolicies), { annotations: Object.fromEntries(annotations) });
};
const promoted = marked({ owner: "XShop/mine", "tags-owner": "XShop/mine#bucket" });

const TAKEN =
  `spec.name: Bucket.s3.aws.upbound.io "orders" is owned by ${OWNER} ` +
  "(buckets.s3.aws.upbound.io/orders-team-a-orders since 2026-03-01T10:00:00Z)";

const update = (object: object, oldObject: object, more = {}) => ({ operation: "UPDATE", object, oldObject, ...more });
const wanting = claim("team-b", "mine");
const deleting = claim("team-b", "orders", { deletionTimestamp: "2026-03-01T10:00:00Z" });
const observer = bucket("mine", ["Observe"]);
const going = (object: JsonObject): JsonObject => withMetadata(object, { deletionTimestamp: "2026-03-01T10:00:00Z" });
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

test.each<[reason: string, request: object]>([
  ["the same as a dry run", { object: claim("team-b"), dryRun: true }],
  ["one with its namespace beside it", { object: claim("", "orders", { namespace: undefined }), namespace: "team-b" }],
  ["an update that begins to want it", update(claim("team-b"), wanting)],
  ["a managed resource that names it", { object: bucket("mine") }],
  ["one with a forged owner", { object: marked({ owner: OWNER }) }],
  ["an observer that begins to write", update(bucket("mine"), observer)],
  ["one with forged marks that does so", update(promoted, observer)],
  ["one that is being deleted and takes its name", update(going(bucket("mine")), going(bucket("mine", ["*"], "mine")))],
  ["one that a Composition without the function makes do so", byCrossplane(update(bucket("mine"), observer))],
])("%s is denied", async (_, request) => {
  const answer = await ask(await start(), request);
  const message = expect.stringContaining(`is owned by ${OWNER}`);
  expect(answer).toMatchObject({ uid: "u1", allowed: false, status: { code: 403, message } });
});

test.each<[reason: string, request: object]>([
  ["the owner", { object: claim("team-a") }],
  ["another name", { object: claim("team-b", "invoices") }],
  ["an update that changes something else", update(claim("team-b", "orders", { labels: { a: "b" } }), claim("team-b"))],
  ["finalizers of what is being deleted", update(deleting, wanting)],
  ["finalizers of a managed resource that is being deleted", update(going(bucket("mine")), going(bucket("mine")))],
  ["a status", update(claim("team-b"), wanting, { subResource: "status" })],
  ["a managed resource that starts as an observer, as the function's do", { object: observer }],
  ["the observer that the function promotes", byCrossplane(update(promoted, observer))],
  ["the owner's managed resource, which Crossplane makes anew", byCrossplane({ object: marked({ owner: OWNER }) })],
  ["another change of a writer", update(bucket("mine", ["Observe", "Update"]), bucket("mine"))],
  ["the owner's own managed resource", { object: bucket("orders-team-a-orders") }],
  ["what is none of Crossplane's", { object: configMap }],
])("%s is admitted", async (_, request) => {
  expect(await ask(await start(), request)).toMatchObject({ uid: "u1", allowed: true });
});

test("a user that the flag --trust names may write marks", async () => {
  const request = { object: marked({ owner: OWNER }), userInfo: { username: "system:serviceaccount:velero:velero" } };
  const webhook = await start("--trust=system:serviceaccount:velero:velero");
  expect((await ask(webhook, request)).allowed).toBe(true);
});

test("a claim for what somebody else owns is denied, and who owns it, by which managed resource and since when, is said", async () => {
  const { uid, allowed, status } = await ask(await start(), { object: claim("team-b") });
  expect([uid, allowed, status]).toEqual(["u1", false, { code: 403, reason: "Forbidden", message: TAKEN }]);
});

test("--on-conflict=warn admits, and says what would have been denied", async () => {
  const answer = await ask(await start("--on-conflict=warn"), { object: claim("team-b") });
  expect(answer).toEqual({ uid: "u1", allowed: true, warnings: [TAKEN] });
});

test("a field that is not set is a warning", async () => {
  const answer = await ask(await start(), { object: { ...claim("team-b"), spec: {} } });
  const warnings = ["cannot tell which Bucket it represents: spec.name is not set"];
  expect(answer).toMatchObject({ allowed: true, warnings });
});

const AWAY = { status: 503, body: "away" };
const goAway = ({ api }: Webhook): void => void api.faults.push(...Array(100).fill(AWAY));

describe("where the registry cannot be asked", () => {
  test.each([
    { flag: "--on-error=allow", allowed: true },
    { flag: "--on-error=deny", allowed: false },
  ])("a request is admitted by $flag: $allowed", async ({ flag, allowed }) => {
    const webhook = await start(flag);
    goAway(webhook);
    const answer = await ask(webhook, { object: claim("team-b") });
    expect(answer.allowed).toBe(allowed);
    expect(JSON.stringify(answer)).toContain("cannot get /apis: 503 away");
  });

  test("which verb is lacking is said", async () => {
    const webhook = await start();
    webhook.api.forbidden.add("buckets");
    const { warnings } = await ask(webhook, { object: claim("team-b") });
    expect(warnings?.[0]).toContain(
      "admitted without looking up who owns the cloud resource: cannot list buckets.s3.aws.upbound.io: RBAC lacks the verb",
    );
  });

  test("a moment's absence does not matter", async () => {
    const webhook = await start("--on-error=deny");
    webhook.api.faults.push({ status: 429, headers: { "retry-after": "0" } }, AWAY);
    expect((await ask(webhook, { object: claim("team-a") })).allowed).toBe(true);
  });

  test("a deletion is admitted all the same", async () => {
    const webhook = await start("--on-error=deny");
    goAway(webhook);
    expect((await ask(webhook, { operation: "DELETE", oldObject: claim("team-b") })).allowed).toBe(true);
  });
});

test.each([
  ["no JSON", "{"],
  ["an older AdmissionReview", '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}'],
  ["no request", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'],
])("%s is a bad request", async (_, body) => {
  expect((await send(await start(), "/validate", body)).status).toBe(400);
});

test("an object that is nested as deep as Kubernetes accepts is reviewed like any other", async () => {
  const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
  const release = objectOf(
    "helm.example.org/v1",
    "Release",
    { name: "x", ...(externallyNamed("x")["metadata"] as JsonObject) },
    {
      spec: { forProvider: "DEEP" },
    },
  );
  const text = JSON.stringify({ ...body, request: { uid: "u1", operation: "CREATE", object: release } });
  const deep = text.replace('"DEEP"', `${'{"values":'.repeat(9_900)}1${"}".repeat(9_900)}`);
  expect((await send(await start(), "/validate", deep)).status).toBe(200);
});

/** Asks for a page beside the webhook. */
async function get({ metricsPort }: Webhook, path: string) {
  const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
  return [response.status, await response.text()] as const;
}

test("tells how it is over HTTP, and reviews over TLS alone", async () => {
  const webhook = await start();
  await ask(webhook, { object: claim("team-b") });
  await ask(webhook, { object: claim("team-a") });
  const plain = (path: string) => get(webhook, path);
  expect([await plain("/healthz"), await plain("/readyz")]).toEqual(Array(2).fill([200, "ok\n"]));
  expect((await send(webhook, "/readyz")).status).toBe(404);
  expect((await plain("/validate"))[0]).toBe(404);
  const [, metrics = ""] = await plain("/metrics");
  expect(metrics.match(/(?<=^function_shared_infrastructure_admission_requests_).*/gm)).toEqual([
    'total{operation="CREATE",decision="denied"} 1',
    'total{operation="CREATE",decision="allowed"} 1',
  ]);
});

test("a body that is larger than any object is refused", async () => {
  const answer = await send(await start(), "/validate", "x".repeat(9 * 1024 * 1024)).catch(() => ({ status: 413 }));
  expect(answer.status).toBe(413);
});

test("is not ready while the API server is away", async () => {
  const webhook = await start();
  goAway(webhook);
  expect(await get(webhook, "/readyz")).toEqual([503, "cannot get /apis: 503 away\n"]);
});

test("ends with exit code 0 when it is told to", async () => {
  const webhook = await start();
  expect((await webhook.stop()).exitCode).toBe(0);
});

test.each([
  ["no certificates", ["--tls-certs-dir=/nowhere"], "cannot use the certificates in /nowhere"],
  ["an address that is taken", ["--address=192.0.2.1:1"], "cannot listen for the webhook at 192.0.2.1:1"],
  ["no mapping file", ["--mapping=/nowhere"], "cannot read /nowhere"],
])("cannot start: %s", async (_, flags, says) => {
  await expect(start(...flags)).rejects.toThrow(says);
});
