import { checkInterleavings } from "../test/support/interleavings.ts";

/**
 * `npm run properties`: orders in which things come back after a restore, until one of them loses something. RUNS says how
 * many, SEED where to start; what it prints about a failure is what it takes to see it again.
 */
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const runs = Number(process.env["RUNS"] ?? 100_000);
const EVERY = 10_000;

const write = (line: string) => process.stdout.write(`${line}\n`);

write(`SEED=${seed} RUNS=${runs}`);
const start = performance.now();
const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
checkInterleavings({
  seed,
  runs,
  isGuarded: true,
  onProgress: (run) => {
    if (run % EVERY === 0) write(`${run} of ${runs} after ${seconds()} s`);
  },
});
write(`${runs} orders of events in ${seconds()} s: nothing lost, deleted unadopted or made twice`);
