import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sourceOf } from "../../scripts/tools/catalogue.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { pathOf } from "./kubectl.ts";
import { at } from "./objects.ts";
import { type Part, startPart } from "./process.ts";
import type { Rig } from "./rig.ts";

const NAMESPACE = "argocd";

/** The real Argo CD without its server, and a repository that Applications are synced from by themselves. */
export interface ArgoCd {
  /** Replaces the manifests of an Application, which is created with the first, and has them looked at. */
  commit(application: string, ...manifests: readonly object[]): Promise<void>;
  /** The same with files, by path: a Helm chart, which the repo-server renders. */
  commitFiles(application: string, files: Readonly<Record<string, string>>): Promise<void>;
  get(application: string): Promise<JsonObject | undefined>;
  stop(): Promise<void>;
}

/** Starts Argo CD with deploy/argocd/argocd-cm.yaml, and the controller that makes the pods of hooks. A rig has one at most. */
export async function startArgoCd(rig: Rig): Promise<ArgoCd> {
  const { kubectl } = rig;
  const directory = join(rig.directory, "argocd");
  const repository = join(directory, "repository");
  const git = (...args: readonly string[]) => promisify(execFile)("git", ["-C", repository, ...args]);
  mkdirSync(repository, { recursive: true });
  await git("init", "--quiet", "--initial-branch=main");
  const crds = join(sourceOf("argocd", "github.com/argoproj/argo-cd/v3"), "manifests", "crds");
  for (const kind of ["application", "appproject"]) await kubectl.applyFile(join(crds, `${kind}-crd.yaml`));
  await kubectl.established("crd/applications.argoproj.io", "crd/appprojects.argoproj.io");
  await kubectl.apply(...surroundings);
  await kubectl.applyFile(fileURLToPath(new URL("../../deploy/argocd/argocd-cm.yaml", import.meta.url)));
  await kubectl.patch("configmap/argocd-cm", { data: CONFIGURATION }, { namespace: NAMESPACE });
  const parts = await startParts(rig, directory);
  const commitFiles: ArgoCd["commitFiles"] = async (application, files) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(repository, application, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    await git("add", "--all");
    await git("-c", "user.name=e2e", "-c", "user.email=e2e@example.org", "commit", "--quiet", "-m", application);
    await kubectl.apply(applicationOf(application, `file://${repository}`));
    await refresh(rig, application);
  };
  return {
    commit: (application, ...manifests) =>
      commitFiles(application, {
        "manifests.yaml": manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n"),
      }),
    commitFiles,
    get: (application) => kubectl.get(`application.argoproj.io/${application}`, NAMESPACE),
    stop: async () => {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

/** Has it compare the newest commit with the cluster, past its caches. */
const refresh = ({ kubectl }: Rig, application: string): Promise<void> =>
  kubectl.patch(
    `application.argoproj.io/${application}`,
    { metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } },
    { namespace: NAMESPACE },
  );

const applicationOf = (name: string, repoURL: string) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name, namespace: NAMESPACE },
  spec: {
    project: "default",
    source: { repoURL, path: name, targetRevision: "main" },
    destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 0 } },
  },
});

const CONFIGURATION = { "timeout.reconciliation": "3s", "timeout.reconciliation.jitter": "0s" };

const partOf = { "app.kubernetes.io/part-of": "argocd" };

const surroundings: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
  ...["rbac", "gpg-keys", "ssh-known-hosts", "tls-certs"].map((name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `argocd-${name}-cm`, namespace: NAMESPACE, labels: partOf },
  })),
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-secret", namespace: NAMESPACE, labels: partOf },
    stringData: { "server.secretkey": "e2e" },
  },
  {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "default", namespace: NAMESPACE },
    spec: {
      sourceRepos: ["*"],
      destinations: [{ namespace: "*", server: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    },
  },
];

/** Redis, the repo-server and the application controller, and Kubernetes' controller of Jobs, which other suites do without. */
async function startParts({ kubeconfig }: Rig, directory: string): Promise<readonly Part[]> {
  const [redis, repo, repoMetrics, metrics] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const env = environmentIn(directory, kubeconfig);
  const start = (name: string, command: string, args: readonly string[], healthz?: string): Promise<Part> =>
    startPart({
      name,
      command,
      args,
      env: { ...env, ARGOCD_BINARY_NAME: name }, // one binary has several roles
      directory,
      isReady: async () => healthz === undefined || (await fetch(healthz)).ok,
    });
  const redisServer = await start("argocd-redis", pathOf("argocd-redis"), [`127.0.0.1:${redis}`]);
  const repoServer = [
    ...[`--port=${repo}`, "--address=127.0.0.1", "--disable-tls", `--redis=127.0.0.1:${redis}`],
    ...[`--metrics-port=${repoMetrics}`, "--metrics-address=127.0.0.1"],
  ];
  const argocd = pathOf("argocd");
  const renderer = await start("argocd-repo-server", argocd, repoServer, `http://127.0.0.1:${repoMetrics}/healthz`);
  const controller = [
    ...[`--repo-server=127.0.0.1:${repo}`, "--repo-server-plaintext", `--redis=127.0.0.1:${redis}`],
    ...["--app-resync=3", "--app-resync-jitter=0", "--persist-resource-health", `--metrics-port=${metrics}`],
    ...[`--kubeconfig=${kubeconfig}`, `--namespace=${NAMESPACE}`],
  ];
  const syncer = await start(
    "argocd-application-controller",
    argocd,
    controller,
    `http://127.0.0.1:${metrics}/healthz`,
  );
  const flags = ["--controllers=job-controller", "--leader-elect=false", "--secure-port=0"];
  const jobs = await start("job-controller", pathOf("kube-controller-manager"), [
    `--kubeconfig=${kubeconfig}`,
    ...flags,
  ]);
  return [redisServer, renderer, syncer, jobs];
}

function environmentIn(directory: string, kubeconfig: string): Readonly<Record<string, string>> {
  const folder = (name: string): string => {
    mkdirSync(join(directory, name), { mode: 0o700 });
    return join(directory, name);
  };
  const ssh = folder("ssh");
  writeFileSync(join(ssh, "ssh_known_hosts"), "");
  return {
    PATH: [dirname(pathOf("helm")), process.env["PATH"]].join(delimiter),
    ARGOCD_FAKE_IN_CLUSTER: "true",
    ARGOCD_GPG_ENABLED: "false",
    KUBECONFIG: kubeconfig,
    HOME: folder("home"),
    TMPDIR: folder("tmp"),
    ARGOCD_TLS_DATA_PATH: folder("tls"),
    ARGOCD_SSH_DATA_PATH: ssh,
    ARGOCD_GNUPGHOME: folder("gnupg"),
    ARGOCD_GPG_DATA_PATH: folder("gpg"),
  };
}

/** The health of an Application's resource, as its page shows it: `Degraded SharedResourcesReady AccessNotGranted: …`. */
export function healthOf(application: JsonObject | undefined, kind: string): string {
  const resources = at(application, "status.resources");
  const own = (Array.isArray(resources) ? resources : []).find(
    (resource) => at(resource as JsonObject, "kind") === kind,
  );
  return [at(own as JsonObject, "health.status"), at(own as JsonObject, "health.message")].filter(Boolean).join(" ");
}
