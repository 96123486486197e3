import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { readManagedKind } from "./definitions.ts";
import { onNewestOnly, PATIENCE, type Suite } from "./scenario.ts";

/** The naming policy of policies/naming on a real API server, held to the cases that its Rego twin is held to. */

const GROUP = "naming.example.org";

interface Case {
  readonly reason: string;
  readonly services: boolean;
  readonly allowed: boolean;
  readonly metadata: JsonObject;
}

interface Cases {
  readonly parameters: JsonObject;
  readonly cases: readonly Case[];
}

export const naming: Suite = onNewestOnly({
  name: "the naming policy",
  scenarios: [
    { name: "the examples are taken as they are", run: examples },
    { name: "names of environments and types", run: (rig) => hold(rig, { services: false }) },
    { name: "names of services, too", run: (rig) => hold(rig, { services: true }) },
    { name: "what is there may change", run: updates },
  ],
});

const pathOf = (file: string): string => fileURLToPath(new URL(`../../deploy/policies/${file}`, import.meta.url));
const { parameters, cases } = parse(readFileSync(pathOf("cases.yaml"), "utf8")) as Cases;

const databaseOf = (metadata: JsonObject) => ({ apiVersion: `${GROUP}/v1`, kind: "Database", metadata });

async function examples({ kubectl }: Rig): Promise<string> {
  await kubectl.applyFile(pathOf("naming/crd.yaml"));
  const crd = "crd/namingschemes.policy.shared-infrastructure.fn.crossplane.io";
  await kubectl.established(crd);
  await kubectl.applyFile(pathOf("naming/policy.yaml"));
  // Only tried: it names the group of the other suites' kinds.
  await kubectl.run("apply", "--server-side", "--dry-run=server", "-f", pathOf("naming/binding.yaml"));
  const database = readManagedKind("Database", GROUP);
  await kubectl.apply(database);
  await kubectl.established(`crd/${database.metadata.name}`);
  return "a scheme, a policy and its binding";
}

/** The API server takes up a new binding within a second or two. */
async function hold({ kubectl }: Rig, { services }: Pick<Case, "services">): Promise<string> {
  const { services: known = [], ...rest } = parameters;
  await bind(kubectl, services ? { ...rest, services: known } : rest);
  const mine = cases.filter((one) => one.services === services);
  const isBound = async () => (await creating(kubectl, mine.find(({ allowed }) => !allowed)?.metadata ?? {})) !== "";
  await until("the binding takes effect", isBound, PATIENCE);
  const wrong: string[] = [];
  for (const { reason, allowed, metadata } of mine) {
    const said = await creating(kubectl, metadata);
    const isRight = allowed ? said === "" : said.includes("is not <service>-<env>-<type>");
    if (!isRight) wrong.push(`${reason}: ${said || "created"}`);
  }
  if (wrong.length > 0) throw new Error(wrong.join("; "));
  return `${mine.length} names as they should be`;
}

async function updates({ kubectl }: Rig): Promise<string> {
  const named = databaseOf({ name: "orders-prod-db" });
  await kubectl.apply(named);
  const given = { "crossplane.io/external-name": "sg-0123456789" };
  await kubectl.patch(`database.${GROUP}/orders-prod-db`, { metadata: { annotations: given } });
  return "an external name that the provider gave was written";
}

async function bind(kubectl: Kubectl, spec: JsonObject): Promise<void> {
  const [scheme, binding] = parseAllDocuments(readFileSync(pathOf("naming/binding.yaml"), "utf8")).map(
    (document) => document.toJS() as { readonly spec: { readonly matchResources: { resourceRules: object[] } } },
  );
  if (scheme === undefined || binding === undefined) throw new Error("cannot find both documents of binding.yaml");
  const [rule] = binding.spec.matchResources.resourceRules;
  const matchResources = { resourceRules: [{ ...rule, apiGroups: [GROUP] }] };
  const paramRef = { name: "e2e", parameterNotFoundAction: "Deny" };
  await kubectl.apply(
    { ...scheme, metadata: { name: "e2e" }, spec },
    { ...binding, metadata: { name: `naming.${GROUP}` }, spec: { ...binding.spec, paramRef, matchResources } },
  );
}

/** @returns why it is denied; nothing where it is not. */
async function creating(kubectl: Kubectl, metadata: JsonObject): Promise<string> {
  try {
    await kubectl.create(databaseOf(metadata), "--dry-run=server");
    return "";
  } catch (error) {
    return String(error);
  }
}
