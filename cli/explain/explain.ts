import { didYouMean } from "../../src/model/did-you-mean.ts";
import { type AddCommand, EXIT, invalidFlags, withExamples } from "../command.ts";
import type { Host } from "../host.ts";
import explained from "./reasons.json" with { type: "json" };

/** A reason of one of the function's conditions, or the code of a Fatal result, as docs/conditions.md explains it. */
export interface Reason {
  /** The condition's type; `Synced` for a code. */
  readonly type: string;
  readonly name: string;
  /** The condition's status. "Waits" is False, and usually passes by itself; "Stops" is False, with a Fatal result. */
  readonly state: "True" | "False" | "Unknown" | "Waits" | "Stops";
  readonly what: string;
  /** Who acts; "" where nobody has to. */
  readonly who: string;
  readonly how: string;
}

const REASONS = explained as readonly Reason[];

const EXAMPLES = ["shared-infrastructure explain AccessNotGranted", "shared-infrastructure explain TagsOwned"];

export const addExplain: AddCommand = (program, choose) =>
  withExamples(program.command("explain"), EXAMPLES)
    .summary("Explain a reason of a condition: what happened, who acts, and how.")
    .description(
      "Explain the reasons of this function's conditions, and the codes of its Fatal results, as docs/conditions.md does. Asks no cluster.",
    )
    .argument("[name]", "A reason, or a condition for all its reasons, in any case. Without one, all are explained.")
    .action((name: string | undefined) => choose(async (host) => explain(name, host)));

/** Prints a block for each reason of this name, or of this condition. @returns the exit code. */
function explain(name: string | undefined, host: Host): number {
  const isMeant = (word: string): boolean => name === undefined || word.toLowerCase() === name.toLowerCase();
  const found = REASONS.filter((reason) => isMeant(reason.name) || isMeant(reason.type));
  if (found.length === 0) {
    const known = new Set(REASONS.flatMap((reason) => [reason.type, reason.name]));
    throw invalidFlags(`cannot explain ${name}: no such reason or condition${didYouMean(name ?? "", [...known])}`);
  }
  host.print(`${found.map(toBlock).join("\n\n")}\n`);
  return EXIT.fine;
}

const STATES: Partial<Readonly<Record<Reason["state"], string>>> = {
  Waits: "It usually passes by itself.",
  Stops: "The XR stops: nothing is applied and nothing is deleted.",
};

function toBlock({ type, name, state, what, who, how }: Reason): string {
  const lines = [
    ["what", [what, STATES[state]].filter(Boolean).join(" ")],
    ["who", who],
    ["how", how],
  ].filter(([, text]) => text !== "");
  return [`${type} ${name}`, ...lines.map(([word, text]) => `  ${word?.padEnd(5)}${text}`)].join("\n");
}
