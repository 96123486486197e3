import { ACCOUNT } from "../rig/moto.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { motoOf } from "./aws-kinds.ts";
import { autoReady, compose, compositionOf, definitionOf, GROUP, ours, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { ALLOWED, namespaceOf } from "./source.ts";

/** A bucket that three teams reach by an IAM policy: the grant is all that anybody edits. */
export const awsAccess: Suite = {
  name: "aws: a bucket by policy",
  cloud: "AWS",
  scenarios: [
    { name: "a team's role has the policy once the bucket's owner grants it", run: attached },
    { name: "the grant is taken back, and the policy is detached", run: detached },
  ],
};

const [RED, GREEN, BLUE] = ["policy-red", "policy-green", "policy-blue"] as const;
const TEAMS = [RED, GREEN, BLUE];
const POLICY_ARN = `arn:aws:iam::${ACCOUNT}:policy/reports-write`;

const composition = compositionOf("XReporter", [
  compose({
    attachment: {
      apiVersion: "iam.aws.crossplane.io/v1beta1",
      kind: "RolePolicyAttachment",
      spec: { providerConfigRef: { name: "default" }, forProvider: { roleName: "$(spec.role)" } },
    },
  }),
  ours("share", {
    sharedResources: [
      {
        name: "reports",
        apiVersion: VERSION,
        kind: "XReports",
        select: { name: "reports" },
        patches: [
          {
            fromFieldPath: "status.policyArn",
            toResource: { name: "attachment", fieldPath: "spec.forProvider.policyArn" },
          },
        ],
        dependents: ["attachment"],
      },
    ],
  }),
  autoReady,
]);

const grant = ({ kubectl }: Rig, ...teams: readonly string[]): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: "XReports",
    metadata: { name: "reports", annotations: { [ALLOWED]: teams.join() } },
    spec: {},
  });

/** The teams whose roles have the policy, as IAM says. */
async function havingPolicy(rig: Rig): Promise<readonly string[]> {
  const answers = TEAMS.map(async (team) => {
    const answer = await motoOf(rig).iam("ListAttachedRolePolicies", { RoleName: team });
    return answer.includes(POLICY_ARN) ? [team] : [];
  });
  return (await Promise.all(answers)).flat();
}

async function settle(rig: Rig, ...teams: readonly string[]): Promise<string> {
  const start = Date.now();
  const isAsGranted = async () => (await havingPolicy(rig)).join() === teams.join();
  await until(`${teams.join()} have the policy, and nobody else`, isAsGranted, PATIENCE);
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function attached(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const moto = motoOf(rig);
  const document = (action: string) =>
    JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: action, Resource: "*" }] });
  await moto.iam("CreatePolicy", { PolicyName: "reports-write", PolicyDocument: document("s3:PutObject") });
  for (const RoleName of TEAMS)
    await moto.iam("CreateRole", { RoleName, AssumeRolePolicyDocument: document("sts:AssumeRole") });
  await kubectl.apply(
    ...TEAMS.map(namespaceOf),
    definitionOf({ kind: "XReports", plural: "xreports", status: { policyArn: { type: "string" } } }),
    definitionOf({ kind: "XReporter", claim: "Reporter", spec: { role: { type: "string" } } }),
  );
  await kubectl.waitFor("Established", `xrd/xreports.${GROUP}`);
  await kubectl.waitFor("Offered", `xrd/xreporters.${GROUP}`);
  await kubectl.apply(composition);
  await grant(rig, RED);
  await kubectl.patch(`xreports.${GROUP}/reports`, { status: { policyArn: POLICY_ARN } }, { subresource: "status" });
  for (const team of TEAMS) {
    const metadata = { name: "app", namespace: team };
    await kubectl.apply({ apiVersion: VERSION, kind: "Reporter", metadata, spec: { role: team } });
  }
  await settle(rig, RED);
  await grant(rig, RED, GREEN);
  return `red at first, green ${await settle(rig, RED, GREEN)} after its grant, blue never`;
}

async function detached(rig: Rig): Promise<string> {
  await grant(rig, GREEN);
  const seconds = await settle(rig, GREEN);
  await grant(rig, GREEN, RED);
  await settle(rig, RED, GREEN);
  return `red's role lost it after ${seconds}, green's kept it; granted again, red has it again`;
}
