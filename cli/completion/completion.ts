import { Argument, type Command, type Option } from "commander";
import { type AddCommand, EXIT, PROGRAM, withExamples } from "../command.ts";

const ASK = `${PROGRAM} complete --`;

/** The scripts that ask the program for candidates. */
const SCRIPTS = {
  bash: `_shared_infrastructure() {
  local word=\${COMP_WORDS[COMP_CWORD]#=} IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | grep -v '^:' | cut -f1)" -- "$word"))
}
complete -o default -F _shared_infrastructure ${PROGRAM}
`,
  zsh: `#compdef ${PROGRAM}
_shared_infrastructure() {
  local -a found
  found=(\${(f)"$(${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null | grep -v '^:' | sed 's/:/\\\\:/g' | tr '\\t' ':')"})
  if (( $#found )); then _describe candidate found; else _files; fi
}
if [[ \${funcstack[1]} == _${PROGRAM} ]]; then _shared_infrastructure; else compdef _shared_infrastructure ${PROGRAM}; fi
`,
  fish: `function __shared_infrastructure
  set -g __shared_infrastructure_found (${ASK} (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*')
  test -n "$__shared_infrastructure_found"
end
complete -c ${PROGRAM} -n __shared_infrastructure -f -a '$__shared_infrastructure_found'
`,
} as const;

const EXAMPLES = [
  "source <(shared-infrastructure completion bash)",
  "source <(shared-infrastructure completion zsh)",
  "shared-infrastructure completion fish | source",
];

/** Adds the scripts of completion, and the hidden command that they ask, as kubectl does. */
export const addCompletion: AddCommand = (program, choose) => {
  const print = (text: string) =>
    choose(async (host) => {
      host.print(text);
      return EXIT.fine;
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "The words after the program's name, after --; the last one is being written.")
    .action((words: readonly string[]) => print(`${[...findCandidates(program, words), ":0"].join("\n")}\n`));
  return withExamples(program.command("completion"), EXAMPLES)
    .summary("Print a script that completes commands and flags in bash, zsh or fish.")
    .description(
      "Print a script that completes commands, flags and their values in a shell. kubectl completes its plugin itself, where " +
        "kubectl_complete-shared_infrastructure is on the PATH.",
    )
    .addArgument(new Argument("<shell>", "The shell.").choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell]));
};

/**
 * Finds what the last word of a command line can be, as Cobra's programs tell kubectl and shells: each candidate on a line, with its
 * description after a tab. Without a candidate the shell completes files.
 */
function findCandidates(program: Command, words: readonly string[]): readonly string[] {
  const given = words.filter((each) => each !== "="); // bash makes a word of `=`
  const [before, word = ""] = [given.slice(0, -1), given.at(-1)];
  const command = before.reduce((found, name) => found.commands.find((one) => one.name() === name) ?? found, program);
  const options = command.createHelp().visibleOptions(command);
  const byName = (name: string | undefined) => options.find(({ long, short }) => name === long || name === short);
  const [flag = ""] = /^--[^=]+(?==)/.exec(word) ?? [];
  const valued = byName(flag || before.at(-1));
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
