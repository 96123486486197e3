import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { run, toolOrSkip } from "../testing/tools/server-tools.ts";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const promtool = toolOrSkip("promtool") ?? "";

const pathOf = (file: string): string => fileURLToPath(new URL(`../deploy/monitoring/${file}`, import.meta.url));

test.skipIf(promtool === "")("promtool accepts the rules, and the alerts fire when they should", async () => {
  const folder = temporaryFolder();
  const { spec } = parse(readFileSync(pathOf("prometheus-rule.yaml"), "utf8")) as { readonly spec: object };
  writeFileSync(join(folder, "rules.yaml"), stringify(spec));
  const tests = join(folder, "alerts.test.yaml");
  writeFileSync(tests, readFileSync(pathOf("alerts.test.yaml")));

  const checked = await run(promtool, ["check", "rules", "--lint-fatal", join(folder, "rules.yaml")]);
  expect(checked).toMatchObject({ exitCode: 0, stderr: "" });
  const tested = await run(promtool, ["test", "rules", tests]);
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
});
