import { readFileSync } from "node:fs";

/** Reads docs/conditions.md, from which `explain` and the health checks of Argo CD and Flux are made. */

/** A reason of one of the function's conditions, or the code of a Fatal result. */
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

const page = readFileSync(new URL("../../docs/conditions.md", import.meta.url), "utf8");

const STATE = /^\*(True|Unknown|Waits|Stops)\.\* ?/;

const MEANINGS: Partial<Readonly<Record<Reason["state"], string>>> = {
  Waits: "It usually passes by itself.",
  Stops: "The XR stops: nothing is applied and nothing is deleted.",
};

/** Makes a text for terminals: of a link, which leads about the page, only the text. */
const toPlain = (markdown: string): string => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");

/** The cells of the rows that begin with a word in code. */
const rowsOf = (section: string): readonly (readonly string[])[] =>
  [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = ""]) => row.split(" |").map((cell) => toPlain(cell.trim())));

/** Reads a row, which is about one reason, or about several that differ in degree. */
function toReasons(type: string, [names = "", what = "", who = "", how = ""]: readonly string[]): readonly Reason[] {
  const state = (STATE.exec(what)?.[1] ?? "False") as Reason["state"];
  const texts = [what.replace(STATE, ""), MEANINGS[state]];
  const rest = { state, what: texts.filter(Boolean).join(" "), who, how };
  return [...names.matchAll(/\w+/g)].map(([name]) => ({ type, name, ...rest }));
}

/** Shown by Crossplane's own condition, with a reason of Crossplane. */
const toFatal = ([name = "", what = "", how = ""]: readonly string[]): readonly Reason[] =>
  toReasons("Synced", [name, `*Stops.* ${what}`, "platform", how]);

/** All reasons of our conditions, and the codes of Fatal results, in the page's order. */
export const reasons: readonly Reason[] = page.split(/^(?=##)/m).flatMap((section) => {
  const [, type] = /^### (\w+)\n/.exec(section) ?? [];
  if (type !== undefined) return rowsOf(section).flatMap((row) => toReasons(type, row));
  return section.startsWith("## Fatal results\n") ? rowsOf(section).flatMap(toFatal) : [];
});

/** Those that a health check sees. A full member of a pool is no fault: an XR that finds no room says so itself. */
export const healthReasons = reasons.filter(({ type }) => type !== "CapacityAvailable" && type !== "Synced");

/** Makes the table of `explain`, a line for each reason. */
export const explanations = (): string =>
  `[\n${reasons.map((reason) => `  ${JSON.stringify(reason)}`).join(",\n")}\n]\n`;
