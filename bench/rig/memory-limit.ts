import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import type { Program } from "./server.ts";

const [V1, V2] = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"];

/**
 * Runs a program in a cgroup with a limit of memory, as a container does: V8 takes the limit of its heap from it.
 *
 * @throws {Error} on a machine where this process may not make a cgroup.
 */
export function withMemoryLimit(program: Program, bytes: number): Program {
  const [root, limit] = existsSync(V1) ? [V1, "memory.limit_in_bytes"] : [V2, "memory.max"];
  const folder = `${root}/function-bench-${process.pid}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/${limit}`, String(bytes));
  process.once("exit", () => rmdirSync(folder));
  return (address) => ["sh", "-c", `echo $$ > ${folder}/cgroup.procs && exec "$@"`, "sh", ...program(address)];
}
