import { Argument } from "commander";
import { type AddCommand, EXIT, withExamples } from "../command.ts";
import { findCandidates } from "./candidates.ts";
import { SCRIPTS } from "./scripts.ts";

const shells = Object.keys(SCRIPTS) as readonly (keyof typeof SCRIPTS)[];

/** Adds the scripts of completion, and the hidden command that they ask, as kubectl does. */
export const addCompletion: AddCommand = (program, choose) => {
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "The words after the program's name, after --; the last one is being written.")
    .action((words: readonly string[]) =>
      choose(async (host) => {
        host.print(`${[...findCandidates(program, words), ":0"].join("\n")}\n`);
        return EXIT.fine;
      }),
    );
  const completion = program
    .command("completion")
    .summary("Print a script that completes commands and flags in bash, zsh or fish.")
    .description(
      "Print a script that completes commands, flags and their values in a shell. kubectl completes its plugin itself, where " +
        "kubectl_complete-shared_infrastructure is on the PATH.",
    )
    .addArgument(new Argument("<shell>", "The shell.").choices(shells))
    .action((shell: keyof typeof SCRIPTS) =>
      choose(async (host) => {
        host.print(SCRIPTS[shell]);
        return EXIT.fine;
      }),
    );
  return withExamples(
    completion,
    ["0  Printed.", "2  There is no such shell."],
    [
      "source <(shared-infrastructure completion bash)",
      "source <(shared-infrastructure completion zsh)",
      "shared-infrastructure completion fish | source",
    ],
  );
};
