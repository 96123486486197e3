import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildOf, installerOf, moduleOf, toolNames } from "../scripts/tools/catalogue.ts";

test("every module of tools/ is built, and nothing else", () => {
  const modules = readdirSync(fileURLToPath(new URL("../tools", import.meta.url)));
  expect([...new Set(toolNames.map((name) => basename(moduleOf(name))))].sort()).toEqual(modules.sort());
});

const built = toolNames.filter((name) => installerOf(name) === undefined);
const ours = built.filter((name) => buildOf(name).package.startsWith("./"));

test.each(built.filter((name) => !ours.includes(name)))("%s is built as its go.mod says", (name) => {
  const { package: main, version, ldflags } = buildOf(name);
  expect(main).toMatch(/^(github\.com|go\.etcd\.io|google\.golang\.org|helm\.sh|k8s\.io)\//);
  expect(version).toMatch(/^v\d+\.\d+\.\d+(\+incompatible)?$/);
  expect(ldflags.replace(`=${version}`, "=VERSION")).toMatch(/^-s -w( -X \S+=VERSION)?$/);
});

test("of the tools of our own, each is a package of its module", () => {
  const missing = ours.filter((name) => !existsSync(`${moduleOf(name)}/${buildOf(name).package}/main.go`));
  expect(missing).toEqual([]);
});
