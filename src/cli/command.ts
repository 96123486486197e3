/** A flag as users meet it: on the command line, in `--help` and in the documentation, all made from the same table. */
export interface Flag {
  readonly name: string;
  /** One letter, e.g. `-d`. */
  readonly short?: string;
  /** The placeholder for the value in `--help`; a flag without one is a switch. */
  readonly value?: string;
  /** As one would write it on the command line. */
  readonly default?: string;
  /** The environment variable that is read when the flag is not given; an empty one counts as not set. */
  readonly env?: string;
  /** May be given several times; of any other flag the last one counts. */
  readonly isRepeatable?: true;
  /** The verbs of the command that take the flag, such as `list`; all of them by default. */
  readonly verbs?: readonly string[];
  readonly help: string;
}

/** A positional argument, as `--help` explains it. */
interface Argument {
  readonly name: string;
  readonly help: string;
}

/** A subcommand: everything that `--help`, the documentation and the reader of flags have to know about it. */
export interface Command<Name extends string = string> {
  /** As one types it after the program's name. */
  readonly name: string;
  /** Ways to call it, each without the program's and the command's name, e.g. `list [KIND...] [flags]`. */
  readonly usage: readonly string[];
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly flags: readonly (Flag & { readonly name: Name })[];
  /** Exit codes and examples; stands below the flags. */
  readonly notes: string;
  /** Exit codes for a wrong command line, and for everything else that goes wrong. */
  readonly exitCodes: { readonly usage: number; readonly failed: number };
}

export const PROGRAM = "function-shared-infrastructure";

/** Flags that every command takes. */
const commonFlags = [
  { name: "help", short: "h", help: "Show this text." },
  { name: "version", help: "Show the version." },
] as const satisfies readonly Flag[];

export type CommonFlagName = (typeof commonFlags)[number]["name"];

/** Declares a command; the names of its flags become a type, so that nobody can ask for a flag that does not exist. */
export const defineCommand = <const Name extends string>(command: Command<Name>): Command<Name> => command;

/** The command's own flags and those that every command takes. */
export const allFlags = ({ flags }: Pick<Command, "flags">): readonly Flag[] => [...flags, ...commonFlags];
