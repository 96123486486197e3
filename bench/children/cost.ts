import { measureCost, PLANS } from "../cost/measure.ts";
import { built } from "../rig/built.ts";

/**
 * `node --max-semi-space-size=MB --import tsx bench/children/cost.ts whole|brief [TEXT]`: a line of JSON for each row whose name includes
 * TEXT. A process of its own, because only the start of one can make V8's youngest generation so large that what is collected of
 * it does not blur how the function's own work grows.
 */
const [, , plan, only] = process.argv;
const { runFunction } = await built<typeof import("../../src/run-function.ts")>("run-function");
for (const { name, points } of measureCost(runFunction, plan === "brief" ? PLANS.brief : PLANS.whole, only)) {
  process.stdout.write(`${JSON.stringify({ name, points })}\n`);
}
