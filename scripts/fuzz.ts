import { corpus } from "../testing/wire/corpus.ts";
import { fuzz } from "../testing/wire/fuzz.ts";

/**
 * `npm run fuzz`: sends broken requests until one of them is handled wrongly. RUNS is their number, SEED the first seed; a
 * failure is printed with the seed that repeats it.
 */
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const runs = Number(process.env["RUNS"] ?? 200_000);
const EVERY = 10_000;

const write = (line: string) => process.stdout.write(`${line}\n`);

write(`SEED=${seed} RUNS=${runs}`);
const start = performance.now();
const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
const { answered, fatal, refused, slowestMs } = fuzz({
  seed,
  runs,
  corpus,
  onProgress: (run) => {
    if ((run + 1) % EVERY === 0) write(`${run + 1} of ${runs} after ${seconds()} s`);
  },
});
write(
  `${runs} in ${seconds()} s: ${answered} answered, ${fatal} fatal, ${refused} refused; slowest ${slowestMs.toFixed(1)} ms`,
);
