import { rmSync, writeFileSync } from "node:fs";
import { request as overHttps } from "node:https";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DOMAIN } from "../../../src/model/names.ts";
import { PLATFORM, registered } from "../../../testing/builders/registered.ts";
import { type ApiServer, kindOf, startApiServer } from "../../../testing/servers/api-server.ts";
import { createAuthority, issue, writeCertificates } from "../../../testing/servers/certificates.ts";
import { type Ran, runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const kinds = [
  kindOf("s3.aws.upbound.io", "Bucket"),
  kindOf("platform.example.org", "XBucket", { categories: ["claim"], isNamespaced: true, version: "v1alpha1" }),
];

const OWNER = `${PLATFORM}/team-a/orders`;
const objects = [registered({ bucket: "orders", owner: OWNER })];

const mapping = {
  apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1",
  kind: "IdentityMapping",
  mappings: [
    {
      apiGroup: "platform.example.org",
      kind: "XBucket",
      resources: [{ apiGroup: "s3.aws.upbound.io", kind: "Bucket", externalName: { fromFieldPath: "spec.name" } }],
    },
  ],
};

interface Webhook {
  readonly port: number;
  readonly metricsPort: number;
  readonly api: ApiServer;
  readonly ca: string;
  stop(): Promise<void>;
  readonly ran: Promise<Ran>;
}

/** The program as it is started, on ports of its own. */
async function start(...flags: readonly string[]): Promise<Webhook> {
  const api = await startApiServer({ kinds, objects });
  const folder = temporaryFolder();
  const authority = await createAuthority("admission");
  writeCertificates(folder, authority, await issue(authority, "webhook"));
  rmSync(join(folder, "ca.crt")); // the API server shows no certificate
  writeFileSync(join(folder, "mapping.json"), JSON.stringify(mapping));
  const args = [
    `--mapping=${join(folder, "mapping.json")}`,
    `--tls-certs-dir=${folder}`,
    `--kubeconfig=${api.kubeconfig}`,
    "--address=127.0.0.1:0",
    "--metrics-address=127.0.0.1:0",
    "--lookup-timeout=1s",
    ...flags,
  ];
  let end: (why: string) => void = () => {};
  const stopped = new Promise<string>((resolve) => {
    end = resolve;
  });
  let ran: Promise<Ran> | undefined;
  const serving = await new Promise<string>((resolve, reject) => {
    ran = runCommand("admission", args, {
      signal: stopped,
      onLog: (line) => {
        if (line.includes('"message":"serving"')) resolve(line);
      },
    });
    ran.then(({ exitCode, stderr }) => reject(new Error(`ended with ${exitCode}: ${stderr}`)), reject);
  });
  const { address, metricsAddress } = JSON.parse(serving);
  const portOf = (text: string): number => Number(text.split(":").at(-1));
  const stop = async () => {
    end("SIGTERM");
    await ran;
  };
  onTestFinished(stop);
  if (ran === undefined) throw new Error("it was never started");
  const ports = { port: portOf(address), metricsPort: portOf(metricsAddress) };
  return { ...ports, api, ca: authority.certificate, stop, ran };
}

interface Answered {
  readonly status: number;
  readonly body: string;
}

function send({ port, ca }: Pick<Webhook, "port" | "ca">, path: string, body?: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const options = { ca, method: body === undefined ? "GET" : "POST", agent: false as const };
    const sent = overHttps(`https://127.0.0.1:${port}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

interface Review {
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly message: string };
    readonly warnings?: readonly string[];
  };
}

async function ask(webhook: Webhook, request: object): Promise<Review["response"]> {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u1", operation: "CREATE", ...request },
  };
  const { status, body } = await send(webhook, "/validate", JSON.stringify(review));
  expect(status).toBe(200);
  return (JSON.parse(body) as Review).response;
}

const claim = (namespace: string, name = "orders", metadata: object = {}) => ({
  apiVersion: "platform.example.org/v1alpha1",
  kind: "XBucket",
  metadata: { namespace, name: "orders", ...metadata },
  spec: { name },
});

const bucket = (name: string, managementPolicies = ["*"], externalName = "orders") => ({
  apiVersion: "s3.aws.upbound.io/v1beta1",
  kind: "Bucket",
  metadata: { name, annotations: { "crossplane.io/external-name": externalName } },
  spec: { forProvider: { region: "eu-west-1" }, managementPolicies },
});

const CROSSPLANE = { username: "system:serviceaccount:crossplane-system:crossplane" };
const byCrossplane = (request: object) => ({ userInfo: CROSSPLANE, ...request });

/** The bucket with these marks of the function. */
const marked = (marks: Readonly<Record<string, string>>, managementPolicies = ["*"]) => {
  const { metadata, ...rest } = bucket("mine", managementPolicies);
  const annotations = Object.entries(marks).map(([key, text]) => [`${DOMAIN}/${key}`, text]);
  return {
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...Object.fromEntries(annotations) } },
  };
};
const promoted = marked({ owner: "XShop/mine", "tags-owner": "XShop/mine#bucket" });

const TAKEN =
  `spec.name: Bucket.s3.aws.upbound.io "orders" is owned by ${OWNER} ` +
  "(buckets.s3.aws.upbound.io/orders-team-a-orders since 2026-03-01T10:00:00Z)";

const update = (object: object, oldObject: object, more = {}) => ({ operation: "UPDATE", object, oldObject, ...more });
const wanting = claim("team-b", "mine");
const deleting = claim("team-b", "orders", { deletionTimestamp: "2026-03-01T10:00:00Z" });
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

test.each<{ reason: string; request: object }>([
  { reason: "a claim for what somebody else owns", request: { object: claim("team-b") } },
  { reason: "the same as a dry run", request: { object: claim("team-b"), dryRun: true } },
  {
    reason: "one whose namespace stands beside it",
    request: { object: claim("", "orders", { namespace: undefined }), namespace: "team-b" },
  },
  { reason: "an update that begins to want it", request: update(claim("team-b"), wanting) },
  { reason: "a managed resource that names it", request: { object: bucket("mine") } },
  { reason: "one with a forged owner", request: { object: marked({ owner: OWNER }) } },
  { reason: "an observer that begins to write", request: update(bucket("mine"), bucket("mine", ["Observe"])) },
  { reason: "one with forged marks that does so", request: update(promoted, bucket("mine", ["Observe"])) },
  {
    reason: "one that a Composition without the function makes do so",
    request: byCrossplane(update(bucket("mine"), bucket("mine", ["Observe"]))),
  },
])("$reason is denied", async ({ request }) => {
  const answer = await ask(await start(), request);
  const message = expect.stringContaining(`is owned by ${OWNER}`);
  expect(answer).toMatchObject({ uid: "u1", allowed: false, status: { code: 403, message } });
});

test.each<{ reason: string; request: object }>([
  { reason: "the owner", request: { object: claim("team-a") } },
  { reason: "another name", request: { object: claim("team-b", "invoices") } },
  {
    reason: "an update that changes something else",
    request: update(claim("team-b", "orders", { labels: { a: "b" } }), claim("team-b")),
  },
  { reason: "a deletion", request: { operation: "DELETE", oldObject: claim("team-b") } },
  { reason: "finalizers of what is being deleted", request: update(deleting, wanting) },
  { reason: "a status", request: update(claim("team-b"), wanting, { subResource: "status" }) },
  {
    reason: "a managed resource that starts as an observer, as the function's do",
    request: { object: bucket("mine", ["Observe"]) },
  },
  {
    reason: "the observer that the function promotes",
    request: byCrossplane(update(promoted, bucket("mine", ["Observe"]))),
  },
  {
    reason: "the owner's managed resource, which Crossplane makes anew",
    request: byCrossplane({ object: marked({ owner: OWNER }) }),
  },
  { reason: "another change of a writer", request: update(bucket("mine", ["Observe", "Update"]), bucket("mine")) },
  { reason: "the owner's own managed resource", request: { object: bucket("orders-team-a-orders") } },
  { reason: "what is none of Crossplane's", request: { object: configMap } },
])("$reason is admitted", async ({ request }) => {
  expect(await ask(await start(), request)).toMatchObject({ uid: "u1", allowed: true });
});

test("a user that the flag --trust names may write marks", async () => {
  const request = { object: marked({ owner: OWNER }), userInfo: { username: "system:serviceaccount:velero:velero" } };
  const webhook = await start("--trust=system:serviceaccount:velero:velero");
  expect((await ask(webhook, request)).allowed).toBe(true);
});

test("a denial says who owns it, by which managed resource and since when", async () => {
  expect((await ask(await start(), { object: claim("team-b") })).status).toEqual({
    code: 403,
    reason: "Forbidden",
    message: TAKEN,
  });
});

test("--on-conflict=warn admits, and says what would have been denied", async () => {
  const answer = await ask(await start("--on-conflict=warn"), { object: claim("team-b") });
  expect(answer).toEqual({ uid: "u1", allowed: true, warnings: [TAKEN] });
});

test("a field that is not set is a warning", async () => {
  const object = { ...claim("team-b"), spec: {} };
  expect(await ask(await start(), { object })).toEqual({
    uid: "u1",
    allowed: true,
    warnings: ["cannot tell which Bucket it represents: spec.name is not set"],
  });
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
      'admitted unchecked: cannot list buckets.s3.aws.upbound.io: RBAC lacks the verb "list"',
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
  { reason: "no JSON", body: "{" },
  {
    reason: "an older AdmissionReview",
    body: '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}',
  },
  { reason: "no request", body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}' },
])("$reason is a bad request", async ({ body }) => {
  expect((await send(await start(), "/validate", body)).status).toBe(400);
});

test("tells how it is over HTTP, and reviews over TLS alone", async () => {
  const webhook = await start();
  await ask(webhook, { object: claim("team-b") });
  await ask(webhook, { object: claim("team-a") });
  const plain = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${webhook.metricsPort}${path}`);
    return { status: response.status, body: await response.text() };
  };
  expect(await plain("/healthz")).toEqual({ status: 200, body: "ok\n" });
  expect(await plain("/readyz")).toEqual({ status: 200, body: "ok\n" });
  expect((await send(webhook, "/readyz")).status).toBe(404);
  expect((await plain("/validate")).status).toBe(404);
  const { body } = await plain("/metrics");
  expect(
    body.split("\n").filter((line) => line.startsWith("function_shared_infrastructure_admission_requests")),
  ).toEqual([
    'function_shared_infrastructure_admission_requests_total{operation="CREATE",decision="denied"} 1',
    'function_shared_infrastructure_admission_requests_total{operation="CREATE",decision="allowed"} 1',
  ]);
});

test("a body that is larger than any object is refused", async () => {
  const answer = await send(await start(), "/validate", "x".repeat(9 * 1024 * 1024)).catch(() => ({ status: 413 }));
  expect(answer.status).toBe(413);
});

test("is not ready while the API server is away", async () => {
  const webhook = await start();
  goAway(webhook);
  const response = await fetch(`http://127.0.0.1:${webhook.metricsPort}/readyz`);
  expect([response.status, await response.text()]).toEqual([503, "cannot get /apis: 503 away\n"]);
});

test("ends with exit code 0 when it is told to", async () => {
  const webhook = await start();
  await webhook.stop();
  expect((await webhook.ran).exitCode).toBe(0);
});

test.each([
  { reason: "no certificates", flags: ["--tls-certs-dir=/nowhere"], says: "cannot use the certificates in /nowhere" },
  {
    reason: "an address that is taken",
    flags: ["--address=192.0.2.1:1"],
    says: "cannot listen for the webhook at 192.0.2.1:1",
  },
  { reason: "no mapping file", flags: ["--mapping=/nowhere"], says: "cannot read /nowhere" },
])("cannot start: $reason", async ({ flags, says }) => {
  await expect(start(...flags)).rejects.toThrow(says);
});
