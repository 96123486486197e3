import { measureCost, PLANS } from "../cost/measure.ts";
import { parsing } from "../implementations/limit.ts";
import { requestOf } from "../requests/requests.ts";
import { built } from "../rig/built.ts";

/** `cost.ts PLAN ONLY`: prints the costs as JSON. A process of its own, because V8's young generation is set when one starts. */
const [, , plan, only = ""] = process.argv;
const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
/** Of 1 MB. */
const reference = parsing(requestOf(160));
const costs = measureCost({ run: runFunction, reference }, plan === "brief" ? PLANS.brief : PLANS.whole, only);
process.stdout.write(JSON.stringify(costs));
