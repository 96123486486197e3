import { parseArgs } from "node:util";
import { FunctionError } from "../../errors.ts";
import { didYouMean } from "../../model/did-you-mean.ts";
import { allFlags, type Command, type CommonFlagName, type Flag, PROGRAM } from "./command.ts";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The placeholder for a value that could not be read; `finish` throws its fault. */
declare const FAULT: unique symbol;
export interface Fault {
  readonly [FAULT]: true;
}

const fault = {} as Fault;

/** Values without `Fault`. */
type Faultless<T> = { readonly [Key in keyof T]: Exclude<T[Key], Fault> };

/** The fields of a token of node:util's `parseArgs` that are used here. */
interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/**
 * Reads `--flag=value`, `--flag value` and positional arguments. A flag overrides its environment variable, which overrides its
 * default.
 *
 * This is a thin layer over node:util. It is not commander, which stops at the first fault, nor citty, which ignores unknown
 * flags: here all faults are collected and reported at once.
 */
export class CommandLine<Name extends string = string> {
  /** Positional arguments. */
  readonly arguments: readonly string[];
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #given = new Map<string, string[]>();
  readonly #env: Environment;
  readonly #faults: string[] = [];

  constructor(args: readonly string[], command: Command<Name>, env: Environment) {
    this.#flags = new Map(allFlags(command).map((flag) => [flag.name, flag]));
    this.#env = env;
    const positionals: string[] = [];
    for (const token of tokenize(args, [...this.#flags.values()])) {
      if (token.kind === "positional") positionals.push(token.value ?? "");
      if (token.kind === "option") this.#take(token);
    }
    this.arguments = positionals;
  }

  /** Adds a fault of the command line. */
  addFault(text: string): void {
    this.#faults.push(text);
  }

  isGiven(name: Name): boolean {
    return this.#given.has(name);
  }

  /** The state of a switch. */
  isOn(name: Name | CommonFlagName): boolean {
    return this.#given.get(name)?.at(-1) === "true";
  }

  /** The flag's text; empty if it has neither a value nor a default. */
  text(name: Name): string {
    const { env, default: byDefault = "" } = this.#flags.get(name) ?? {};
    return this.#given.get(name)?.at(-1) ?? ((env && this.#env[env]) || byDefault);
  }

  /** The flag's text; undefined if empty. */
  optionalText(name: Name): string | undefined {
    return this.text(name) || undefined;
  }

  /** The texts of a repeatable flag. */
  texts(name: Name): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** @param expected describes valid values, for the message if `toValue` returns undefined. */
  value<T>(name: Name, toValue: (text: string) => T | undefined, expected: string): T | Fault {
    return this.#convert(name, this.text(name), toValue, expected);
  }

  /** Like `value`, for a repeatable flag. */
  values<T>(name: Name, toValue: (text: string) => T | undefined, expected: string): readonly T[] | Fault {
    const values = this.texts(name).map((text) => this.#convert(name, text, toValue, expected));
    return values.every((value): value is T => value !== fault) ? values : fault;
  }

  choice<const T extends string>(name: Name, choices: readonly T[]): T | Fault {
    return this.value(name, (text) => choices.find((choice) => choice === text), `one of ${choices.join(", ")}`);
  }

  /** Adds a fault for each given flag that the verb does not have. */
  restrictTo(verb: string, command: string): void {
    for (const name of this.#given.keys()) {
      const { verbs } = this.#flags.get(name) ?? {};
      if (verbs?.includes(verb) === false) {
        this.addFault(`--${name}: not a flag of "${command} ${verb}", but of "${command} ${verbs.join('", "')}"`);
      }
    }
  }

  /** Adds a fault for each positional argument from an index on. */
  expectNoMoreArguments(from = 0): void {
    for (const argument of this.arguments.slice(from)) this.addFault(`unexpected argument ${JSON.stringify(argument)}`);
  }

  /** @throws {FunctionError} `InvalidFlags` with all faults, one per line. */
  finish<T extends object>(values: T): Faultless<T> {
    if (this.#faults.length > 0) {
      throw new FunctionError("InvalidFlags", ["cannot use the command line:", ...this.#faults].join("\n  "));
    }
    return values as Faultless<T>; // every Fault has been added to the faults
  }

  #take({ name = "", rawName = "", value, inlineValue }: Token): void {
    const flag = this.#flags.get(name);
    // "--address --debug" more likely lacks a value than has one that looks like a flag.
    const isMissing = value === undefined || (inlineValue !== true && value.startsWith("--"));
    if (flag === undefined) this.addFault(`${rawName}: unknown flag${this.#suggestion(rawName)}`);
    else if (flag.value === undefined) this.#takeSwitch(name, value ?? "true");
    else if (isMissing) this.addFault(`--${name}: needs a value`);
    else this.#given.set(name, flag.isRepeatable ? [...(this.#given.get(name) ?? []), value] : [value]);
  }

  #takeSwitch(name: string, text: string): void {
    if (text === "true" || text === "false") this.#given.set(name, [text]);
    else this.addFault(`--${name}: true or false; found ${JSON.stringify(text)}`);
  }

  #suggestion(rawName: string): string {
    return didYouMean(
      rawName,
      [...this.#flags.keys()].map((name) => `--${name}`),
    );
  }

  #convert<T>(name: Name, text: string, toValue: (text: string) => T | undefined, expected: string): T | Fault {
    const value = toValue(text);
    if (value !== undefined) return value;
    this.addFault(`--${name}: ${expected}; found ${JSON.stringify(text)}`);
    return fault;
  }
}

/** Tells whether a value could not be read. */
export const isFault = (value: unknown): value is Fault => value === fault;

/** The hint after an error message. */
export const helpHint = (command?: string): string =>
  `Run "${[PROGRAM, command, "--help"].filter(Boolean).join(" ")}" for help.\n`;

/** Splits arguments into tokens. Not strict, because parseArgs would then throw at the first fault. */
function tokenize(args: readonly string[], flags: readonly Flag[]): readonly Token[] {
  const options = flags.map(({ name, short, value }) => {
    const type: "string" | "boolean" = value === undefined ? "boolean" : "string";
    return [name, short === undefined ? { type } : { type, short }] as const;
  });
  return parseArgs({ args: [...args], options: Object.fromEntries(options), strict: false, tokens: true }).tokens;
}
