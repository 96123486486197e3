import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The folders whose tests are run, from scripts/mutants.ts. */
const folders = process.env["MUTANT_TESTS"]?.split(",") ?? ["test"];

/**
 * For Stryker, which runs the tests of one folder again and again: no other programs, no measuring of time, and nothing that plays thousands of
 * games and does not say which line was wrong.
 */
const tooSlow = ["tools", "cost", "all-kinds", "drain", "fuzz", "interleavings"];

/** Tables first, which take milliseconds: most mutants die of them, and the first that fails is the last that runs. */
class TablesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProperty = ({ moduleId }: TestSpecification): boolean =>
      readFileSync(moduleId, "utf8").includes("fast-check");
    return files.toSorted((a, b) => Number(isProperty(a)) - Number(isProperty(b)));
  }
}

export default defineConfig({
  test: {
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: tooSlow.map((name) => `**/*${name}.test.ts`),
    setupFiles: ["testing/tools/brief-properties.ts"],
    sequence: { sequencer: TablesFirst },
    isolate: false,
    testTimeout: 60_000,
  },
});
