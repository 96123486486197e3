import { defineConfig } from "vitest/config";

/** For Stryker, which runs the tests of one folder again and again: no projects, no tools. */
export default defineConfig({
  test: { include: ["**/*.test.ts"], exclude: ["**/*.tools.test.ts"], testTimeout: 60_000 },
});
