import type { Command, Option } from "commander";
import { toProgram } from "../../cli/cli.ts";

/** Flags that all commands share; docs/cli.md explains them once. */
const COMMON: readonly (string | undefined)[] = ["--kubeconfig", "--context", "--retry-for"];

/** Makes the table of commands in docs/cli.md: each with its arguments, and its own flags with their defaults. */
export function commandsReference(): string {
  const program = toProgram(() => {}, { print: () => {}, printError: () => {} });
  const rows = program.commands.flatMap((command) => toRows(command, ""));
  return ["| command | flags (default) |", "| --- | --- |", ...rows].join("\n");
}

function toRows(command: Command, parent: string): readonly string[] {
  const name = `${parent}${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((verb) => toRows(verb, `${name} `));
  const call = `${name} ${command.usage()}`.replace(" [options]", "");
  const flags = command.options.filter(({ long }) => !COMMON.includes(long)).map(toText);
  return [`| \`${call}\` | ${flags.join(", ")} |`];
}

function toText({ flags, defaultValue, defaultValueDescription }: Option): string {
  const text = defaultValueDescription ?? (typeof defaultValue === "string" ? defaultValue : undefined);
  return text === undefined ? `\`${flags}\`` : `\`${flags}\` (\`${text}\`)`;
}
