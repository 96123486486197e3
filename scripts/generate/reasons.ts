import { readFileSync } from "node:fs";

/** Reads docs/conditions.md, from which the health checks for Argo CD are made. */

/** A reason of one of the function's conditions. */
export interface Reason {
  /** The condition's type. */
  readonly type: string;
  readonly name: string;
  /** The condition's status. "Waits" is False, and usually passes by itself; "Stops" is False, with a Fatal result. */
  readonly state: "True" | "False" | "Unknown" | "Waits" | "Stops";
  /** Who acts; "" where nobody has to. */
  readonly who: string;
}

const page = readFileSync(new URL("../../docs/conditions.md", import.meta.url), "utf8");

const STATE = /^\*(True|Unknown|Waits|Stops)\.\*/;

/** Reads a row, which is about one reason, or about several that differ in degree. */
function toReasons(type: string, row: string): readonly Reason[] {
  const [names = "", what = "", who = ""] = row.split(" |").map((cell) => cell.trim());
  const state = (STATE.exec(what)?.[1] ?? "False") as Reason["state"];
  return [...names.matchAll(/\w+/g)].map(([name]) => ({ type, name, state, who }));
}

/** All reasons, in the page's order. */
export const reasons: readonly Reason[] = page.split(/^(?=##)/m).flatMap((section) => {
  const [, type] = /^### (\w+)\n/.exec(section) ?? [];
  const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = ""]) => row);
  return type === undefined ? [] : rows.flatMap((row) => toReasons(type, row));
});
