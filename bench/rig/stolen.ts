import { readFileSync } from "node:fs";

/** The time of all processors since the start, in ticks. */
interface Ticks {
  readonly all: number;
  readonly stolen: number;
}

/** The column of /proc/stat that counts the time in which other virtual machines had the processor (man 5 proc). */
const STEAL = 8;

function readTicks(): Ticks {
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const columns = total.split(/\s+/).map(Number);
  return { all: columns.slice(1, STEAL + 1).reduce((sum, ticks) => sum + ticks, 0), stolen: columns[STEAL] ?? 0 };
}

/** @returns a function that says how much of the processors other virtual machines have taken since then, in percent. */
export function measureStolen(): () => number {
  const before = readTicks();
  return () => {
    const now = readTicks();
    return (100 * (now.stolen - before.stolen)) / Math.max(1, now.all - before.all);
  };
}
