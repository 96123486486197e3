import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { run, toolOrSkip } from "../testing/tools/server-tools.ts";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const opa = toolOrSkip("opa") ?? "";

const pathOf = (file: string): string => fileURLToPath(new URL(`../deploy/policies/${file}`, import.meta.url));

interface Template {
  readonly spec: { readonly targets: readonly { readonly rego: string }[] };
}

test.skipIf(opa === "")("Gatekeeper's Rego decides each case of cases.yaml as it is written there", async () => {
  const folder = temporaryFolder();
  const template = parse(readFileSync(pathOf("gatekeeper/template.yaml"), "utf8")) as Template;
  writeFileSync(join(folder, "naming.rego"), template.spec.targets[0]?.rego ?? "");
  copyFileSync(pathOf("gatekeeper/naming_test.rego"), join(folder, "naming_test.rego"));
  copyFileSync(pathOf("cases.yaml"), join(folder, "cases.yaml"));

  const { exitCode, stdout, stderr } = await run(opa, ["test", "--v0-compatible", "--format=json", folder]);
  expect(exitCode, stdout + stderr).toBe(0);
  const names = (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);
  const wanted = ["cases", "only_creation_is_looked_at", "the_message_says_what_would_be_right"];
  expect(names.sort()).toEqual(wanted.map((name) => `test_${name}`));
});
