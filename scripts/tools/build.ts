import { spawn } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  binaryOf,
  buildOf,
  findTool,
  fingerprintOf,
  moduleOf,
  overrideOf,
  stampOf,
  type ToolName,
} from "./catalogue.ts";

/** Takes one line of progress. */
export type Report = (line: string) => void;

const HEARTBEAT_MS = 30_000;

/**
 * Builds the tools that are missing, one after the other: each takes a minute with Go's caches warm and up to ten without.
 *
 * @returns one line for each tool that could not be built, with the cause and the remedy.
 */
export async function obtainTools(names: readonly ToolName[], report: Report): Promise<readonly string[]> {
  const missing = names.filter((name) => findTool(name) === undefined);
  const lines: string[] = [];
  for (const name of missing) {
    const problem = await build(name, report);
    if (problem !== undefined) lines.push(`${name}: ${problem}; ${remedyFor(name)}`);
  }
  return lines;
}

function remedyFor(name: ToolName): string {
  const override = overrideOf(name);
  const orSet = override === undefined ? "" : `, or set ${override} to the path of that binary`;
  return `install Go 1.26 or later and run "npm run tools"${orSet}`;
}

/** Builds one tool. @returns the error; undefined where the tool is built. */
async function build(name: ToolName, report: Report): Promise<string | undefined> {
  const { package: main, version, ldflags, tags } = buildOf(name);
  const binary = binaryOf(name);
  const unfinished = `${binary}.${process.pid.toString()}`;
  mkdirSync(dirname(binary), { recursive: true });

  const args = ["build", "-trimpath", "-mod=readonly", "-tags", tags, "-ldflags", ldflags, "-o", unfinished, main];
  const problem = await run("go", args, moduleOf(name), {
    started: () => report(`building ${name} (${version}) with Go: up to ten minutes the first time`),
    running: (seconds) => report(`building ${name}: ${seconds} s`),
  });
  if (problem !== undefined) return problem;

  renameSync(unfinished, binary);
  writeFileSync(stampOf(name), fingerprintOf(name));
  report(`built ${name} (${version})`);
  return undefined;
}

interface Progress {
  started(): void;
  running(seconds: number): void;
}

/** Runs a command. @returns the error; undefined where there is none. */
function run(command: string, args: readonly string[], cwd: string, progress: Progress): Promise<string | undefined> {
  const start = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, CGO_ENABLED: "0" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const timer = setInterval(() => progress.running(Math.round((Date.now() - start) / 1000)), HEARTBEAT_MS);
    const finish = (problem: string | undefined): void => {
      clearInterval(timer);
      resolve(problem);
    };
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("spawn", progress.started);
    child.on("error", () => finish(`there is no ${command} on this machine`));
    child.on("close", (code) => {
      finish(code === 0 ? undefined : `${command} ${args[0] ?? ""} failed: ${stderr.trim().slice(-2000)}`);
    });
  });
}
