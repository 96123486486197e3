import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { Kubectl } from "./kubectl.ts";

/** The rights of a Crossplane that its Helm chart installed, and those that deploy/function adds for a scenario. */

/** The user that Crossplane's token is for. */
export const CROSSPLANE_USER = "system:serviceaccount:crossplane-system:crossplane";

const NAME = "crossplane";
const AGGREGATE = { "rbac.crossplane.io/aggregate-to-crossplane": "true" };
const rbac = (kind: string, name: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata: { name },
});

/** @param source the folder of Crossplane's module */
export async function grantRights(kubectl: Kubectl, source: string): Promise<void> {
  const template = readFileSync(join(source, "cluster/charts/crossplane/templates/clusterrole.yaml"), "utf8");
  await kubectl.apply(...rendered(template), ofRbacManager, {
    ...rbac("ClusterRoleBinding", NAME),
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

/** The RBAC manager, which the rig lacks, grants the kinds of XRDs and of providers. */
const ofRbacManager = {
  ...rbac("ClusterRole", "e2e:aggregate-to-crossplane"),
  metadata: { name: "e2e:aggregate-to-crossplane", labels: AGGREGATE },
  rules: [
    {
      apiGroups: [
        "platform.example.org",
        "shop.example.org",
        "cloud.example.org",
        "upjet.example.org",
        "s3.aws.crossplane.io",
        "rds.aws.crossplane.io",
        "dynamodb.aws.crossplane.io",
        "kubernetes.crossplane.io",
        "kubernetes.m.crossplane.io",
      ],
      resources: ["*"],
      verbs: ["*"],
    },
  ],
};
