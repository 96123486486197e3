/** A flag. The command line, `--help` and the documentation are made from it. */
export interface Flag {
  readonly name: string;
  /** One letter, e.g. `-d`. */
  readonly short?: string;
  /** The placeholder for the value in `--help`; a flag without one is a switch. */
  readonly value?: string;
  /** The default, as written on the command line. */
  readonly default?: string;
  /** The environment variable that is read if the flag is not given; an empty one counts as not set. */
  readonly env?: string;
  /** Allows the flag to be given several times; of other flags the last one counts. */
  readonly isRepeatable?: true;
  /** The verbs of the command that have the flag, such as `list`; default: all. */
  readonly verbs?: readonly string[];
  readonly help: string;
}

/** A positional argument in `--help`. */
interface Argument {
  readonly name: string;
  readonly help: string;
}

/** A subcommand, as `--help`, the documentation and the reader of flags need it. */
export interface Command<Name extends string = string> {
  /** Its name on the command line. */
  readonly name: string;
  /** Ways to call it, each without the program's and the command's name, e.g. `list [KIND...] [flags]`. */
  readonly usage: readonly string[];
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly flags: readonly (Flag & { readonly name: Name })[];
  /** Exit codes and examples, shown below the flags. */
  readonly notes: string;
  /** Exit codes for a wrong command line and for any other failure. */
  readonly exitCodes: { readonly usage: number; readonly failed: number };
}

export const PROGRAM = "shared-infrastructure";

/** Flags of every command. */
const commonFlags = [
  { name: "help", short: "h", help: "Show this text." },
  { name: "version", help: "Show the version." },
] as const satisfies readonly Flag[];

export type CommonFlagName = (typeof commonFlags)[number]["name"];

/** Declares a command. The names of its flags become a type, so that reading an unknown flag does not compile. */
export const defineCommand = <const Name extends string>(command: Command<Name>): Command<Name> => command;

/** The command's own flags and the common ones. */
export const allFlags = ({ flags }: Pick<Command, "flags">): readonly Flag[] => [...flags, ...commonFlags];
