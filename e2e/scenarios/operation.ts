import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";
import { NUDGED_FOR } from "../../src/operations/operations.ts";
import { isV2 } from "../rig/crossplane.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { unreachedOf } from "./unreached.ts";

/** The CronOperation of deploy/audit, run by Crossplane itself. Operations came with v2. */

const KIND = "XUncalled";
const DEFINITION = `xrd/xuncalleds.${GROUP}`;

export const operating: Suite = {
  name: "an Operation",
  scenarios: [
    { name: "finds an XR that was never reconciled, and nudges its XRD", run: nudges, isFor: isV2 },
    { name: "for the same XR it does so once", run: nudgesOnce, isFor: isV2 },
    { name: "the CronOperation is taken as it is", run: cron, isFor: isV2 },
  ],
};

const file = fileURLToPath(new URL("../../deploy/audit/cron-operation.yaml", import.meta.url));

interface Step {
  readonly input: { readonly spec: JsonObject };
}

interface CronOperation {
  readonly spec: { readonly operationTemplate: { readonly spec: { readonly pipeline: readonly Step[] } } };
}

const LABEL = "e2e.example.org/operated";

async function nudges(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...(await unreachedOf(rig, KIND)));
  await kubectl.run("label", DEFINITION, `${LABEL}=true`);
  await kubectl.established(DEFINITION);
  await kubectl.apply({ apiVersion: VERSION, kind: KIND, metadata: { name: "uncalled" }, spec: {} });
  const operation = await operate(kubectl, "first");
  const output = JSON.stringify(at(operation, "status.pipeline[0].output"));
  if (output !== `{"neverReconciled":{"xuncalleds.${GROUP}":["uncalled"]}}`) throw new Error(`its output is ${output}`);
  const nudgedFor = await nudgedForOf(kubectl);
  if (typeof nudgedFor !== "string") throw new Error("its XRD is not annotated");
  return `its name in the Operation's status, ${nudgedFor.length} hex digits on its XRD`;
}

async function nudgesOnce({ kubectl }: Rig): Promise<string> {
  const before = await nudgedForOf(kubectl);
  const operation = await operate(kubectl, "second");
  const applied = at(operation, "status.appliedResourceRefs");
  if (applied !== undefined) throw new Error(`it applied ${JSON.stringify(applied)}`);
  if ((await nudgedForOf(kubectl)) !== before) throw new Error("the annotation has changed");
  // Crossplane writes the events of all suites one after the other: 150 s after the status, seen beside the other suites.
  const message = async () =>
    (await kubectl.list("events"))
      .filter((event) => at(event, "involvedObject.name") === "second")
      .map((event) => String(at(event, "message")))
      .find((text) => text.includes("already nudged for these XRs"));
  await until("an event says so", async () => (await message()) !== undefined, { timeoutMs: 300_000 });
  await kubectl.run("delete", `xuncalleds.${GROUP}/uncalled`, "--wait=false");
  return "nothing applied, and an event that says so";
}

async function cron({ kubectl }: Rig): Promise<string> {
  await kubectl.applyFile(file);
  const isScheduled = async () =>
    conditionOf(await kubectl.get("cronoperation/never-reconciled"), "Scheduling")?.status === "True";
  await until("Crossplane has scheduled it", isScheduled, PATIENCE);
  await kubectl.run("delete", "-f", file, "--wait=false");
  return "deploy/audit/cron-operation.yaml is scheduled";
}

const nudgedForOf = async (kubectl: Kubectl) =>
  at(await kubectl.get(DEFINITION), `metadata.annotations[${NUDGED_FOR}]`);

/** Creates the Operation that the CronOperation would create, for the XRDs of this suite only. */
async function operate(kubectl: Kubectl, name: string): Promise<JsonObject> {
  const { spec } = (parse(readFileSync(file, "utf8")) as CronOperation).spec.operationTemplate;
  const definitions = { matchLabels: { [LABEL]: "true" } };
  const pipeline = spec.pipeline.map((step) => ({
    ...step,
    input: { ...step.input, spec: { neverReconciled: { definitions } } },
  }));
  await kubectl.apply({
    apiVersion: "ops.crossplane.io/v1alpha1",
    kind: "Operation",
    metadata: { name },
    spec: { ...spec, pipeline },
  });
  const target = `operation.ops.crossplane.io/${name}`;
  const hasEnded = async () =>
    ["True", "False"].includes(conditionOf(await kubectl.get(target), "Succeeded")?.status ?? "");
  await until("it has ended", hasEnded, PATIENCE);
  const operation = (await kubectl.get(target)) ?? {};
  const { status, message } = conditionOf(operation, "Succeeded") ?? {};
  if (status !== "True") throw new Error(`it did not succeed: ${message}`);
  return operation;
}
