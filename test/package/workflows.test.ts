import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/package/layout.ts";

const folder = inRepository(".github/workflows");

test.each(readdirSync(folder))("the workflow %s pins each action by its commit, with the version beside it", (name) => {
  const uses = [...readFileSync(`${folder}/${name}`, "utf8").matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
  expect(uses.length).toBeGreaterThan(0);
  for (const action of uses) expect(action).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
