import { defineConfig } from "vitest/config";

/**
 * For Stryker, which runs the tests of one folder again and again: no tools, and nothing that plays thousands of games and
 * does not say which line was wrong.
 */
const tooSlow = ["**/*.tools.test.ts", "**/fuzz.test.ts", "**/interleavings.test.ts"];

export default defineConfig({
  test: { include: ["**/*.test.ts"], exclude: tooSlow, testTimeout: 60_000 },
});
