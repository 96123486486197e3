import { describe, expect, test } from "vitest";
import { admissionCommand } from "../../cli/admission/command.ts";
import { auditCommand } from "../../cli/audit/command.ts";
import { subcommands } from "../../cli/cli.ts";
import { allFlags, type Command } from "../../cli/command.ts";
import { toCommandsReference, toFlagsReference, toHelp } from "../../cli/help.ts";
import { migrateCommand } from "../../cli/migrate/command.ts";
import { preflightCommand } from "../../cli/preflight/command.ts";
import { registryCommand } from "../../cli/registry/command.ts";
import { renderCommand } from "../../cli/render/command.ts";

const commands: readonly Command[] = [
  renderCommand,
  registryCommand,
  preflightCommand,
  admissionCommand,
  auditCommand,
  migrateCommand,
];

test("there is a help for each subcommand, under its name", () => {
  expect(commands.map(({ name }) => name)).toEqual(subcommands.map(({ name }) => name));
});

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ");

describe.each(commands)("$name --help", (command) => {
  const help = toHelp(command);

  test("begins with each way to call it", () => {
    const [first, ...more] = command.usage.map((form) => `function-shared-infrastructure ${command.name} ${form}`);
    expect(help.split("\n\n")[0]).toBe([`Usage: ${first}`, ...more.map((form) => `       ${form}`)].join("\n"));
  });

  test.each(allFlags(command))("has --$name with what it does and its default", (flag) => {
    const usage = `--${flag.name}${flag.value === undefined ? "" : `=${flag.value}`} `;
    expect(squeeze(help)).toContain(usage + squeeze(flag.help));
    if (flag.default !== undefined) expect(squeeze(help)).toContain(`${squeeze(flag.help)} (default ${flag.default}`);
  });

  test("has no line that is wider than 120 characters, but for examples", () => {
    const wide = help.split("\n").filter((line) => line.length > 120 && !line.startsWith("  function-shared"));
    expect(wide).toEqual([]);
  });

  test.each(allFlags(command))("and its Markdown table have --$name", ({ name, help: text, default: byDefault }) => {
    const row = toFlagsReference(command)
      .split("\n")
      .find((line) => line.includes(`\`--${name}`) || line.includes(`, --${name}`));
    expect(row).toContain(byDefault === undefined ? " |  | " : ` | \`${byDefault}\` | `);
    expect(row).toContain(text.replaceAll("|", "\\|"));
  });
});

test("the page of all commands has a section for each", () => {
  const headings = [...toCommandsReference(commands).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(commands.map(({ name }) => name));
});
