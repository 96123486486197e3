import { parseArgs } from "node:util";
import { type Flag, type FlagName, flags } from "./flags.ts";

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the flags say, as text: a switch is "true" or "false", a flag that nobody gave has its default or "". */
export interface FlagTexts {
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
}

const known: ReadonlyMap<string, Flag> = new Map(flags.map((flag) => [flag.name, flag]));

/** The parts of a token of node:util's `parseArgs` that we read. */
interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Reads `--flag=value` and `--flag value`; of a flag given twice the last counts. Flags come before the environment. */
export function readFlags(args: readonly string[], env: Environment): FlagTexts {
  const texts = new Map<string, string>(flags.map((flag: Flag) => [flag.name, fromEnvironment(flag, env)]));
  const faults: string[] = [];
  for (const token of tokenize(args)) {
    const fault = take(token, texts);
    if (fault !== undefined) faults.push(fault);
  }
  return { texts, faults };
}

export const textOf = (texts: FlagTexts["texts"], name: FlagName): string => texts.get(name) ?? "";

function fromEnvironment({ env: variable, default: byDefault = "" }: Flag, env: Environment): string {
  return (variable === undefined ? undefined : env[variable]) || byDefault;
}

/** Not strict: parseArgs would stop at the first fault, and we report them all. */
function tokenize(args: readonly string[]): readonly Token[] {
  const options = flags.map(({ name, ...flag }: Flag) => {
    const type: "string" | "boolean" = flag.value === undefined ? "boolean" : "string";
    return [name, flag.short === undefined ? { type } : { type, short: flag.short }] as const;
  });
  return parseArgs({ args: [...args], options: Object.fromEntries(options), strict: false, tokens: true }).tokens;
}

/** Writes the token's text; returns what is wrong with it. */
function take({ kind, name = "", rawName = "", value, inlineValue }: Token, texts: Map<string, string>) {
  if (kind === "option-terminator") return undefined;
  if (kind === "positional") return `${JSON.stringify(value)}: not a flag`;

  const flag = known.get(name);
  if (flag === undefined) return `${rawName}: unknown flag`;
  if (flag.value === undefined) return takeSwitch(name, value ?? "true", texts);
  // "--address --debug" more likely lacks a value than means one that looks like a flag.
  if (value === undefined || (inlineValue !== true && value.startsWith("--"))) return `--${name}: needs a value`;
  texts.set(name, value);
  return undefined;
}

function takeSwitch(name: string, text: string, texts: Map<string, string>): string | undefined {
  if (text !== "true" && text !== "false") return `--${name}: true or false; found ${JSON.stringify(text)}`;
  texts.set(name, text);
  return undefined;
}
