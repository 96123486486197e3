import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toClient, toCluster } from "../../cli/cluster/cluster.ts";
import { connect } from "../../cli/cluster/connection.ts";
import { lookUp } from "../../cli/lookup/ownership.ts";
import { PLATFORM, registered } from "../../testing/builders/registered.ts";
import { runCommand } from "../../testing/tools/run-command.ts";
import { createMany } from "../rig/bulk.ts";
import { NAMESPACE } from "../rig/crossplane.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { kubeconfigOf } from "../rig/service-account.ts";
import { admissionDenies, KIND, leavesNothing, OWNER } from "./admission.ts";
import { GROUP } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";
import { CLOUD, shelved, xrOf } from "./tagged.ts";

/** Who owns a cloud resource, as the commands around the function tell it: before it is applied, when it is, and after. */

export const conflicts: Suite = onNewestOnly({
  name: "who owns what",
  scenarios: [
    { name: "registry names the owner", run: registryNamesTheOwner },
    { name: "it needs the rights of deploy/registry, and names the one that it lacks", run: leastRights },
    { name: "preflight: a conflict is exit code 1 and a line that names the owner, none is 0", run: preflightTells },
    { name: "admission: the API server denies what somebody else owns, and nothing else", run: admissionDenies },
    {
      name: "admission: owner and observer deleted at once, the cloud resource is not left behind",
      run: leavesNothing,
    },
    { name: "who-owns among thousands of managed resources", run: amongThousands },
    { name: "Kubernetes takes what is in deploy/", run: takesDeploy },
  ],
});

const NAME = `v1/ConfigMap/${CLOUD}/shelf`;

const mapping = {
  apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1",
  kind: "IdentityMapping",
  mappings: [
    {
      apiGroup: GROUP,
      kind: "XShelf",
      resources: [
        {
          apiGroup: "kubernetes.crossplane.io",
          kind: "Object",
          manifest: {
            apiVersion: "v1",
            kind: "ConfigMap",
            namespace: CLOUD,
            name: { fromFieldPath: "spec.resource" },
          },
        },
      ],
    },
  ],
};

const run = (command: string, args: readonly string[], { kubeconfig }: Pick<Rig, "kubeconfig">, stdin = "") =>
  runCommand(command, [...args, "--kubeconfig", kubeconfig], { stdin });

async function registryNamesTheOwner(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { definition, composition } = shelved;
  await kubectl.apply(namespaceOf(CLOUD), definition);
  await kubectl.established(`xrd/${definition.metadata.name}`);
  await kubectl.apply(composition, xrOf("XShelf", "shelf", "a"));
  const owners = async () => {
    const { exitCode, stdout } = await run("registry", ["who-owns", KIND, NAME, "-o", "json"], rig);
    return exitCode === 0
      ? (JSON.parse(stdout) as { items: { state: string; owner?: { owner: string } }[] }).items
      : [];
  };
  await until("a owns it", async () => (await owners()).some(({ owner }) => owner?.owner === OWNER), PATIENCE);
  const { stdout } = await run("registry", ["list", KIND], rig);
  const line = stdout.split("\n").find((row) => row.includes(NAME));
  // The columns are as wide as what else there is to list.
  if (line?.replaceAll(/ +/g, " ").includes(`Owned ${OWNER}`) !== true)
    throw new Error(`registry list lacks it: ${stdout}`);
  const other = await run("registry", ["who-owns", KIND, `v1/ConfigMap/${CLOUD}/nobodys`], rig);
  if (other.exitCode !== 1) throw new Error(`who-owns of what nobody owns: ${JSON.stringify(other)}`);
  return `${OWNER}; of what nobody owns: exit code 1`;
}

const deployed = (file: string): string => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url));

async function leastRights(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.applyFile(deployed("registry/rbac.yaml"));
  await kubectl.applyFile(deployed("registry/job.yaml"));
  const ask = async (account: string) =>
    run("registry", ["who-owns", KIND, NAME], { kubeconfig: await kubeconfigOf(account, rig) });
  const allowed = await ask("shared-infrastructure-registry");
  if (allowed.exitCode !== 0 || !allowed.stdout.includes(OWNER)) throw new Error(`it lacks rights: ${allowed.stderr}`);

  await kubectl.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nobody", namespace: NAMESPACE } });
  const { exitCode, stderr } = await ask("nobody");
  const rule = '{apiGroups: ["kubernetes.crossplane.io"], resources: ["objects"], verbs: ["list"]}';
  if (exitCode !== 2 || !stderr.includes(rule)) {
    throw new Error(`without rights: ${JSON.stringify({ exitCode, stderr })}`);
  }
  return stderr.trim().replace(/^.*error: /, "");
}

async function preflightTells(rig: Rig): Promise<string> {
  const file = join(rig.directory, "mapping.json");
  writeFileSync(file, JSON.stringify(mapping));
  const tell = (...xrs: readonly object[]) =>
    run("preflight", ["--mapping", file], rig, xrs.map((xr) => JSON.stringify(xr)).join("\n---\n"));

  const free = await tell(xrOf("XShelf", "shelf", "a"), xrOf("XShelf", "other", "b"));
  if (free.exitCode !== 0) throw new Error(`a conflict without one: ${JSON.stringify(free)}`);
  const { exitCode, stdout } = await tell(xrOf("XShelf", "other", "b"), xrOf("XShelf", "shelf", "b"));
  if (exitCode !== 1 || !stdout.includes(OWNER))
    throw new Error(`no conflict: ${JSON.stringify({ exitCode, stdout })}`);
  return stdout.trim().replace(/ \(objects.*\)/, "");
}

/** Ten thousand: E2E_MANAGED_RESOURCES=10000. */
const THOUSANDS = Number(process.env["E2E_MANAGED_RESOURCES"] ?? 2000);

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A provider's kind without its provider: nothing reconciles these. */
const bucketDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "buckets.s3.aws.upbound.io" },
  spec: {
    group: "s3.aws.upbound.io",
    names: { kind: "Bucket", plural: "buckets", categories: ["crossplane", "managed", "aws"] },
    scope: "Cluster",
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      },
    ],
  },
};

async function amongThousands(rig: Rig): Promise<string> {
  const { kubectl, kubeconfig } = rig;
  await kubectl.apply(bucketDefinition);
  await kubectl.established("crd/buckets.s3.aws.upbound.io");
  const buckets = Array.from({ length: THOUSANDS }, (_, index) =>
    registered({ bucket: `bucket-${index}`, owner: `${PLATFORM}/team-${index % 50}/bucket-${index}` }),
  );
  await createMany(kubeconfig, "/apis/s3.aws.upbound.io/v1beta1/buckets", buckets);

  const last = `bucket-${THOUSANDS - 1}`;
  const connection = connect({ kubeconfig, env: process.env });
  let calls = 0;
  const send: typeof connection.send = (...sent) => {
    calls++;
    return connection.send(...sent);
  };
  const cluster = await toCluster(toClient({ ...connection, send }, {}));
  const question = { group: "s3.aws.upbound.io", kind: "Bucket", names: [last], scope: new Map<string, string>() };
  const [found] = await lookUp(cluster, [question]);
  const start = performance.now();
  const { exitCode, stdout } = await run("registry", ["who-owns", "bucket", last], rig);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (exitCode !== 0 || !stdout.includes(`/${last}`) || found?.length !== 1) {
    throw new Error(`not found: ${stdout}`);
  }
  if (calls > 3) throw new Error(`${calls} API calls`);
  // Not "bucket": other suites have Buckets of other groups.
  const listed = await run("registry", ["list", `bucket.${question.group}`, "-o", "json"], rig);
  const { length } = (JSON.parse(listed.stdout) as { items: unknown[] }).items;
  if (length !== THOUSANDS) throw new Error(`list has ${length}`);
  await kubectl.run("delete", "crd/buckets.s3.aws.upbound.io", "--wait=false");
  return `one of ${THOUSANDS} in ${calls} API calls, discovery among them (${seconds} s); list has all of them`;
}

/** Beside deploy/registry, which is in use by then; there is no cert-manager here, and other commands' manifests are other suites' matter. */
const manifests = [
  "preflight/argocd.yaml",
  "admission/admission.yaml",
  "admission/webhook.yaml",
  "admission/with-cert-manager/webhook.yaml",
];

async function takesDeploy({ kubectl }: Rig): Promise<string> {
  const names: string[] = [];
  for (const manifest of manifests) {
    const file = deployed(manifest);
    const answer = await kubectl.run("create", "-f", file, "--dry-run=server", "--validate=strict", "-o", "name");
    names.push(...answer.trim().split("\n"));
  }
  return `${names.length} objects, the ArgoCD example among them`;
}
