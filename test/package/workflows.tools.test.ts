import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/package/layout.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";

const actionlint = toolOrSkip("actionlint") ?? "";
const folder = inRepository(".github/workflows");

test.skipIf(actionlint === "").each(readdirSync(folder))("the workflow %s is accepted by actionlint", async (name) => {
  const ran = await run(actionlint, ["-no-color", "-shellcheck=", "-pyflakes=", `${folder}/${name}`]);
  expect(ran).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});
