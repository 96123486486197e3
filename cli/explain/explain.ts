import { didYouMean } from "../../src/model/did-you-mean.ts";
import { type AddCommand, EXIT, invalidFlags, withExamples } from "../command.ts";
import type { Host } from "../host.ts";
import reasons from "./reasons.json" with { type: "json" };

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
  const found = reasons.filter((reason) => isMeant(reason.name) || isMeant(reason.type));
  if (found.length === 0) {
    const known = new Set(reasons.flatMap((reason) => [reason.type, reason.name]));
    throw invalidFlags(`cannot explain ${name}: no such reason or condition${didYouMean(name ?? "", [...known])}`);
  }
  host.print(`${found.map(toBlock).join("\n\n")}\n`);
  return EXIT.fine;
}

function toBlock({ type, name, what, who, how }: (typeof reasons)[number]): string {
  const lines = Object.entries({ what, who, how }).filter(([, text]) => text !== "");
  return [`${type} ${name}`, ...lines.map(([word, text]) => `  ${word.padEnd(5)}${text}`)].join("\n");
}
