import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inRepository } from "../../scripts/package/layout.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";

const actionlint = toolOrSkip("actionlint") ?? "";

const folder = inRepository(".github/workflows");
const workflows = readdirSync(folder).map((name) => ({ name, path: `${folder}/${name}` }));

describe.each(workflows)("the workflow $name", ({ path }) => {
  test.skipIf(actionlint === "")("is accepted by actionlint", async () => {
    const ran = await run(actionlint, ["-no-color", "-shellcheck=", "-pyflakes=", path]);
    expect(ran).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("pins each action by its commit, with the version beside it", () => {
    const uses = [...readFileSync(path, "utf8").matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
