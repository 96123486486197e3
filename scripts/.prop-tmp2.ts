import fc from "fast-check";
import { ownershipSettles } from "/work/wt/identity/testing/simulations/tag-property.ts";
const seed = Number(process.env["SEED"] ?? 11); const runs = Number(process.env["RUNS"] ?? 10000);
const s = performance.now();
fc.assert(ownershipSettles, { seed, numRuns: runs });
console.log("ok", runs, ((performance.now() - s)/1000).toFixed(1));
