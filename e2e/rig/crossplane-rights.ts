import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, parseAllDocuments } from "yaml";
import type { Kubectl } from "./kubectl.ts";
import { at } from "./objects.ts";

/** The rights of a Crossplane that its Helm chart installed with the RBAC manager, and those that deploy/function adds for a scenario. */

/** The user that Crossplane's token is for. */
export const CROSSPLANE_USER = "system:serviceaccount:crossplane-system:crossplane";

const NAME = "crossplane";

/** @param source the folder of Crossplane's module */
export async function grantRights(kubectl: Kubectl, source: string): Promise<void> {
  const template = readFileSync(join(source, "cluster/charts/crossplane/templates/clusterrole.yaml"), "utf8");
  await kubectl.apply(...rendered(template), {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: NAME },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: NAME },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: CROSSPLANE_USER }],
  });
  await letRead(kubectl, "referencegrants");
}

const reads = readFileSync(new URL("../../deploy/function/crossplane-reads.yaml", import.meta.url), "utf8");

interface ClusterRole {
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

/** Lets Crossplane read these of the resources that deploy/function lets it read; the others it may not, or no more. */
export async function letRead(kubectl: Kubectl, ...resources: readonly string[]): Promise<void> {
  const role = parse(reads) as ClusterRole;
  await kubectl.apply({ ...role, rules: role.rules.filter((rule) => resources.includes(rule.resources.join())) });
}

/** Its roles are aggregated where the RBAC manager is installed, which is the default. */
const rendered = (template: string): readonly object[] =>
  parseAllDocuments(
    template
      .replaceAll('{{ template "crossplane.name" . }}', NAME)
      .split("\n")
      .filter((line) => !line.includes("{{"))
      .join("\n"),
  ).map((document) => document.toJS() as object);

/** Lets Crossplane use every kind of some API groups, as its RBAC manager does for those of an XRD or a provider. */
export const roleFor = (name: string, groups: readonly string[]) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: {
    name: `e2e:${name}:aggregate-to-crossplane`,
    labels: { "rbac.crossplane.io/aggregate-to-crossplane": "true" },
  },
  rules: [{ apiGroups: groups, resources: ["*"], verbs: ["*"] }],
});

/** The API groups of a folder of CRDs, whose files are named GROUP_PLURAL.yaml. */
export const groupsIn = (folder: string): readonly string[] =>
  [...new Set(readdirSync(folder).map((file) => file.split("_")[0] ?? ""))].sort();

/** The time between two looks for new XRDs. */
const INTERVAL_MS = 500;

/**
 * Lets Crossplane use the kinds of each new XRD, without which the XRD is never Established. The RBAC manager itself cannot run here: it
 * serves its metrics on port 8080, as provider-aws does, and neither has a flag for another.
 *
 * @returns a function that ends it
 */
export function startGrantingXrds(kubectl: Kubectl): () => Promise<void> {
  const granted = new Set<string>();
  const grantNew = async (): Promise<void> => {
    for (const xrd of await kubectl.list("compositeresourcedefinitions.apiextensions.crossplane.io")) {
      const group = String(at(xrd, "spec.group"));
      if (granted.has(group)) continue;
      await kubectl.apply(roleFor(group, [group]));
      granted.add(group);
    }
  };
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      await grantNew().catch(() => {}); // an API server that is busy or ends; it is asked again
      await sleep(INTERVAL_MS);
    }
  };
  const working = work();
  return async () => {
    isOver = true;
    await working;
  };
}
