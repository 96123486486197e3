import type { Command, Option } from "commander";

/**
 * Finds what the last word of a command line can be, as Cobra's programs tell kubectl and shells: each candidate on a line, with its
 * description after a tab. Without a candidate the shell completes files.
 */
export function findCandidates(program: Command, words: readonly string[]): readonly string[] {
  const [word = "", ...before] = words.filter((each) => each !== "=").toReversed(); // bash makes a word of `=`
  const command = before
    .toReversed()
    .reduce((found, name) => found.commands.find((one) => one.name() === name) ?? found, program);
  const options = command.createHelp().visibleOptions(command);
  const byName = (name: string | undefined) => options.find(({ long, short }) => name === long || name === short);
  const [flag = ""] = /^--[^=]+(?==)/.exec(word) ?? [];
  const valued = byName(flag || before[0]);
  // Some shells complete `--output=json` as one word, and others only what stands behind the `=`.
  if (valued?.required) return choicesOf(valued).flatMap((choice) => (flag ? [choice, `${flag}=${choice}`] : [choice]));
  if (word.startsWith("-")) return options.flatMap(toFlags);
  const commands = command.createHelp().visibleCommands(command);
  return [
    ...commands.map((one) => toLine(one.name(), one.summary() || one.description())),
    ...command.registeredArguments.flatMap(choicesOf),
  ];
}

const choicesOf = ({ argChoices = [] }: { readonly argChoices?: readonly string[] }): readonly string[] => argChoices;

const toFlags = ({ long, short, description }: Option): readonly string[] =>
  [long, short].flatMap((name) => (name ? [toLine(name, description)] : []));

/** The first sentence of a description is enough to choose by. */
const toLine = (name: string, description: string): string => `${name}\t${description.split(/\.(?:\s|$)/)[0]}`;
