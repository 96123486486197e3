import type { Command } from "commander";
import { toProgram } from "../../cli/cli.ts";

/** Makes the Markdown page of all commands of the operators' program: the help of each. */
export const commandsReference = (): string =>
  toProgram(() => {}, { print: () => {}, printError: () => {} })
    .commands.map((command) => toSection(command, "##"))
    .join("\n\n");

function toSection(command: Command, level: string): string {
  const title = `${level} ${[command.parent?.parent && command.parent.name(), command.name()].filter(Boolean).join(" ")}`;
  const own = [title, `\`\`\`\n${helpOf(command)}\n\`\`\``];
  return [...own, ...command.commands.map((verb) => toSection(verb, `${level}#`))].join("\n\n");
}

/** The text of `--help`, with exit codes and examples. */
function helpOf(command: Command): string {
  let text = "";
  command
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
    })
    .outputHelp();
  return text.trim();
}
