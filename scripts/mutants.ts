import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { requireTool } from "./tools/build.ts";

/**
 * `npm run mutants -- src/wire`: changes the code of that folder in hundreds of small ways, one at a time, and lists those that
 * the folder's own tests, those in test/wire, do not notice. Results are kept in build/mutants/, and only what has
 * changed is tried again; a pattern (`npm run mutants -- src/wire "s*.ts"`) tries a part of it, and `--sample=200` two hundred
 * mutants at even distances. `--with=test/features/tags` runs the tests of that folder as well.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    with: { type: "string", multiple: true, default: [] },
    workers: { type: "string", default: "2" },
  },
});
const [given = "", pattern = "**/*.ts"] = positionals;
const folder = given.replace(/\/$/, "");
const tests = folder.replace(/^src\//, "test/");
if (!folder.startsWith("src/") || !existsSync(folder) || !existsSync(tests)) {
  process.stderr.write(`cannot make mutants of "${given}": give a folder below src/ that has tests\n`);
  process.exit(1);
}

process.env["MUTANT_TESTS"] = [tests, ...values.with].join(",");

const BREAK_BELOW_PERCENT = 85;

/** A sample's results are not kept: what it left out would count as tried. */
const extent =
  values.sample === undefined
    ? { incremental: true, incrementalFile: `build/mutants/${folder.replaceAll("/", "-")}.json` }
    : { checkers: ["sample"], sample: Number(values.sample) };

const options = {
  mutate: [`${folder}/${pattern}`],
  plugins: ["@stryker-mutator/*", "./scripts/mutants/sample.mjs"],
  testRunner: "vitest",
  // Only the folder's own tests: that run-function's notice as well says nothing about these, and takes an hour.
  vitest: { configFile: "vitest.mutants.config.ts", related: false },
  coverageAnalysis: "perTest",
  // What runs once, when a module is loaded (the tags of wire/fields.ts), needs all tests for each mutant: it is read by
  // every test, and a wrong one fails most of them.
  ignoreStatic: true,
  concurrency: Number(values.workers),
  // A loop without an end is known by how often it is run; a busy machine is not to look like one.
  timeoutMS: 20_000,
  ...extent,
  // Stryker rewrites tsconfig.json by an API that TypeScript 7 no longer has; where it finds none, it leaves it alone.
  tsconfigFile: "none",
  tempDirName: "build/mutants/sandbox",
  ignorePatterns: ["/build", "/dist", "/coverage", "/.cache", "/docs", "/e2e", "/bench", "/deploy"],
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: BREAK_BELOW_PERCENT, break: BREAK_BELOW_PERCENT },
};

const { Stryker } = await import(await requireTool("stryker"));
await new Stryker(options).runMutationTest();
