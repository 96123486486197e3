import { measureCost, PLANS } from "../cost/measure.ts";
import { built } from "../rig/built.ts";

/** `cost.ts PLAN ONLY`: prints the costs as JSON. A process of its own, because V8's young generation is set when one starts. */
const [, , plan, only = ""] = process.argv;
const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
process.stdout.write(JSON.stringify(measureCost(runFunction, plan === "brief" ? PLANS.brief : PLANS.whole, only)));
