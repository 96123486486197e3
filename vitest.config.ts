import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    coverage: {
      include: ["src/**"],
      // Raised with what is covered; never lowered.
      thresholds: { statements: 95, branches: 90, functions: 95, lines: 95 },
    },
  },
});
