import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pluralOf } from "../scenarios/definitions.ts";
import { CONSUMER } from "./kinds.ts";

/** Counts of a fleet, from the logs of Crossplane and the function, and the CPU seconds of the processes. */

/** A time span, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const isIn = ({ from, to }: Span, time: number): boolean => time >= from && time <= to;

interface Call {
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly milliseconds: number;
  readonly conditions: readonly { readonly type: string }[];
}

const linesWith = (log: string, text: string): readonly string[] =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes(text));

/** The function's calls that returned a condition of this type. @param log its debug log: text, the fields as JSON behind it */
export const callsIn = (log: string, conditionType: string, span: Span): readonly Call[] =>
  linesWith(log, "ran function")
    .filter((line) => isIn(span, Date.parse(line.split(" ")[0] ?? "")))
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Call)
    .filter(({ conditions }) => conditions.some(({ type }) => type === conditionType));

/** A shorter time between two reconciles of an XR than this is not due to its TTL, a minute, which Crossplane jitters by a tenth. */
const TTL_MS = 54_000;

interface Reconciles {
  /** Those of the XRs that serve the consumers. */
  readonly serving: number;
  /** Those of consumers that something woke: the others are due to the TTL. */
  readonly woken: number;
}

const CONTROLLER = /"controller": "composite\/(?<kind>[^".]+)\.[^"]*", "request": (?<xr>\{[^}]*\})/;

/** @param log Crossplane's debug log, whose times are whole seconds; `serving` is the kind that serves the consumers */
export function reconcilesIn(log: string, serving: string, { from, to }: Span): Reconciles {
  const span = { from: from - 1000, to };
  const reconciles = linesWith(log, "\tReconciling\t").map((line) => {
    const { kind, xr = "" } = CONTROLLER.exec(line)?.groups ?? {};
    return { kind, xr, time: Date.parse(line.split("\t")[0] ?? "") };
  });
  const of = (wanted: string) => reconciles.filter(({ kind, time }) => kind === pluralOf(wanted) && time <= to);
  const last = new Map<string, number>();
  const isWoken = ({ xr, time }: { readonly xr: string; readonly time: number }): boolean => {
    const gap = time - (last.get(xr) ?? 0);
    last.set(xr, time);
    return isIn(span, time) && gap < TTL_MS;
  };
  return {
    serving: of(serving).filter(({ time }) => isIn(span, time)).length,
    woken: of(CONSUMER).filter(isWoken).length,
  };
}

/** The kernel's clock ticks a second. */
const TICKS = 100;

/** The CPU seconds so far of the processes that this one has started, and those of our function among them. */
export function cpuSeconds(): { readonly all: number; readonly ours: number } {
  const children = execFileSync("ps", ["--ppid", String(process.pid), "-o", "pid=,args="], { encoding: "utf8" });
  const seconds = { all: 0, ours: 0 };
  for (const line of children.trim().split("\n")) {
    const used = secondsOf(line.trim().split(" ")[0] ?? "");
    seconds.all += used;
    if (line.includes("dist/src/main.js")) seconds.ours += used;
  }
  return seconds;
}

/** Of a process that has ended meanwhile, 0. */
function secondsOf(pid: string): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const [user, system] = fields.split(" ").slice(11, 13).map(Number);
    return ((user ?? 0) + (system ?? 0)) / TICKS;
  } catch {
    return 0;
  }
}
