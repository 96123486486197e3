import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  buildOf,
  findTool,
  fingerprintOf,
  installerOf,
  isTrimmed,
  moduleOf,
  overrideOf,
  sourceOf,
  stampOf,
  type ToolName,
  targetOf,
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
  const missing = [...new Set(names)].filter((name) => findTool(name) === undefined);
  const lines: string[] = [];
  for (const name of missing) {
    const problem = await obtain(name, report);
    if (problem !== undefined) lines.push(`${name}: ${problem}; ${remedyFor(name)}`);
  }
  return lines;
}

/** Builds the tool if it is missing. @returns its program. Ends the process with the cause and the remedy if it cannot be built. */
export async function requireTool(name: ToolName): Promise<string> {
  const [problem] = await obtainTools([name], (line) => process.stderr.write(`${line}\n`));
  const program = findTool(name);
  if (program !== undefined) return program;
  process.stderr.write(`cannot run ${problem ?? name}\n`);
  process.exit(1);
}

function remedyFor(name: ToolName): string {
  const override = overrideOf(name);
  const orSet = override === undefined ? "" : `, or set ${override} to the path of that binary`;
  const needed = {
    npm: "have npm's registry at hand",
    pip: "install Python 3.10 or later with venv",
  } as const;
  const installer = installerOf(name);
  const first = installer === undefined ? "install Go 1.26 or later" : needed[installer];
  return `${first} and run "npm run tools -- ${name}"${orSet}`;
}

/** Builds or installs one tool. @returns the error; undefined where the tool is there. */
async function obtain(name: ToolName, report: Report): Promise<string | undefined> {
  mkdirSync(dirname(targetOf(name)), { recursive: true });
  const problem = await (installerOf(name) === undefined ? build(name, report) : install(name, report));
  if (problem !== undefined) return problem;
  writeFileSync(stampOf(name), fingerprintOf(name));
  report(`built ${name}`);
  return undefined;
}

/** Builds one Go program. @returns the error; undefined where it is built. */
async function build(name: ToolName, report: Report): Promise<string | undefined> {
  const { package: main, version, ldflags, tags } = buildOf(name);
  const unfinished = `${targetOf(name)}.${process.pid.toString()}`;
  const args = ["build", "-trimpath", "-mod=readonly", "-tags", tags, "-ldflags", ldflags, "-o", unfinished, main];
  const folder = isTrimmed(name) ? trim(name) : moduleOf(name);
  const problem = await run("go", args, folder, {
    started: () => report(`building ${name} (${version}) with Go: up to ten minutes the first time`),
    running: (seconds) => report(`building ${name}: ${seconds} s`),
  });
  if (problem === undefined) renameSync(unfinished, targetOf(name));
  if (isTrimmed(name)) rmSync(folder, { recursive: true });
  return problem;
}

/** Copies the source of a tool, with files of our own in it. It is built as it is, by its own go.mod and go.sum. */
function trim(name: ToolName): string {
  const folder = `${targetOf(name)}.source`;
  rmSync(folder, { recursive: true, force: true });
  cpSync(sourceOf(name, buildOf(name).package), folder, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", folder]); // Go keeps it read-only
  cpSync(`${moduleOf(name)}/ours`, folder, { recursive: true });
  return folder;
}

/** @returns What went wrong; undefined where the packages are there now. */
async function install(name: ToolName, report: Report): Promise<string | undefined> {
  const folder = targetOf(name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(moduleOf(name), folder, { recursive: true });
  for (const [command, ...args] of installation(name)) {
    const problem = await run(command, args, folder, {
      started: () => report(`installing ${name}: ${command} ${args[0] ?? ""}`),
      running: (seconds) => report(`installing ${name}: ${seconds} s`),
    });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The commands, in the folder that is installed into. Packages of npm's run the scripts alone that we name. */
function installation(name: ToolName): readonly (readonly [string, ...string[]])[] {
  if (installerOf(name) === "npm")
    return [
      ["npm", "ci", "--ignore-scripts"],
      ["npm", "run", "--if-present", "setup"],
    ];
  return [
    ["python3", "-m", "venv", "."],
    ["bin/pip", "install", "--quiet", "--only-binary=:all:", "--require-hashes", "-r", "requirements.txt"],
  ];
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
