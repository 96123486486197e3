import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildOf, toolNames } from "../scripts/tools/catalogue.ts";

test("every module of tools/ is built, and nothing else", () => {
  const modules = readdirSync(fileURLToPath(new URL("../tools", import.meta.url)));
  expect([...toolNames].sort()).toEqual(modules.sort());
});

test.each(toolNames)("%s is built as its go.mod says", (name) => {
  const { package: main, version, ldflags } = buildOf(name);
  expect(main).toMatch(/^github\.com\//);
  expect(version).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(ldflags).toMatch(new RegExp(`=${version}$`));
});
