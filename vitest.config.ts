import { defineConfig } from "vitest/config";

/** Tests that take the programs of tools/, which are built before them; all others start at once. */
const withTools = ["test/examples.test.ts", "test/**/*.tools.test.ts"];

export default defineConfig({
  test: {
    // A busy machine takes its time; what hangs is found all the same.
    testTimeout: 60_000,
    // Tables fill their rows into the tests' names, which are whole sentences: none is cut short after 40 characters.
    chaiConfig: { truncateThreshold: 0 },
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: withTools } },
      { extends: true, test: { name: "tools", include: withTools, globalSetup: "testing/tools/tools-setup.ts" } },
    ],
    coverage: {
      include: ["src/**", "cli/**"],
      // Data.
      exclude: ["src/**/*.generated.ts"],
      // Raised with what is covered; never lowered.
      thresholds: { statements: 95, branches: 90, functions: 95, lines: 95 },
    },
  },
});
