import { defineConfig } from "vitest/config";

/** Tests that run the programs of tools/, which are built before them. */
const withTools = ["test/**/*.tools.test.ts"];
/** Compiles and installs the package, with what npm's registry or cache has. */
const packed = ["test/package/packed.test.ts"];

export default defineConfig({
  test: {
    // A busy machine takes its time; what hangs is found all the same.
    testTimeout: 60_000,
    // Vitest's own default leaves one core idle, which is half of two.
    maxWorkers: "100%",
    // Tables fill their rows into the tests' names, which are whole sentences: none is cut short after 40 characters.
    chaiConfig: { truncateThreshold: 0 },
    projects: [
      // One process loads the modules for all its files: in a process for each file that takes as long as the tests.
      {
        extends: true,
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: [...withTools, ...packed], isolate: false },
      },
      { extends: true, test: { name: "tools", include: withTools, globalSetup: "testing/tools/tools-setup.ts" } },
      { extends: true, test: { name: "packed", include: packed } },
    ],
    coverage: {
      include: ["src/**", "cli/**"],
      // Data.
      exclude: ["src/**/*.generated.ts"],
      // Of the unit tests alone. Raised with what is covered; never lowered.
      thresholds: { statements: 95, branches: 90, functions: 95, lines: 95 },
    },
  },
});
