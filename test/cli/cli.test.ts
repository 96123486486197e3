import { describe, expect, test } from "vitest";
import { FINDINGS } from "../../cli/audit/world.ts";
import { toProgram } from "../../cli/cli.ts";
import { readVersion } from "../../src/package.ts";
import { runCommand } from "../../testing/tools/run-command.ts";

const commands = toProgram(() => {}, { print: () => {}, printError: () => {} }).commands.map((one) => one.name());

test("the program has these commands", () => {
  expect(commands).toEqual(["render", "registry", "preflight", "admission", "audit", "migrate", "record"]);
});

describe.each(commands)("%s", (name) => {
  test.each([{ flag: "--help" }, { flag: "-h" }])("$flag prints its help with its exit codes", async ({ flag }) => {
    const { exitCode, stdout, stderr } = await runCommand(name, [flag]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: shared-infrastructure ${name} `));
    expect(stdout).toContain("\nExit codes:\n");
  });

  test("an unknown flag is an error that says how to get help", async () => {
    const { exitCode, stdout, stderr } = await runCommand(name, ["--hlep"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: name === "render" ? 80 : 2 });
    expect(stderr).toBe(
      "shared-infrastructure: error: unknown option '--hlep'\n(Did you mean --help?)\nAdd --help for help.\n",
    );
  });
});

test.each([["--help"], ["-h"], ["help"]])("%s prints the commands", async (word) => {
  const { exitCode, stdout } = await runCommand(word, []);
  expect(exitCode).toBe(0);
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
});

test("audit --help names each finding", async () => {
  const { stdout } = await runCommand("audit", ["--help"]);
  for (const name of Object.keys(FINDINGS)) expect(stdout).toContain(`${name}: `);
});

test("help COMMAND prints the command's help", async () => {
  expect((await runCommand("help", ["audit"])).stdout).toMatch(/^Usage: shared-infrastructure audit /);
});

test("--version prints the version", async () => {
  expect(await runCommand("--version", [])).toEqual({ exitCode: 0, stdout: `${readVersion()}\n`, stderr: "" });
});

test.each([
  { command: "regsitry", args: ["list"], says: "unknown command 'regsitry'\n(Did you mean registry?)" },
  { command: "deploy", args: [], says: "unknown command 'deploy'" },
  { command: "registry", args: ["lsit"], says: "unknown command 'lsit'\n(Did you mean list?)" },
  { command: "registry", args: [], says: "Usage: shared-infrastructure registry " },
  { command: "registry", args: ["who-owns", "bucket"], says: "error: expected who-owns KIND NAME" },
  { command: "registry", args: ["who-owns", "bucket", "a", "b"], says: "too many arguments" },
  { command: "registry", args: ["list", "--secret=a/b"], says: "unknown option '--secret=a/b'" },
  { command: "registry", args: ["list", "-o", "xml"], says: "Allowed choices are table, wide, json." },
  { command: "registry", args: ["who-owns", "b", "n", "--scope=x"], says: "Expected KEY=VALUE." },
  { command: "registry", args: ["consumers", "x", "y", "--secret=z"], says: "Expected NAMESPACE/NAME." },
  { command: "audit", args: ["--grace=soon"], says: "Expected a duration such as 30s, 5m or 1m30s." },
  { command: "audit", args: ["orders"], says: "too many arguments" },
  { command: "audit", args: ["--grace=25h"], says: "Expected a duration such as 30s, 5m or 1m30s." },
  { command: "audit", args: ["--adopt", "-o", "json"], says: "'--adopt' cannot be used with option '-o, --output" },
  { command: "admission", args: ["--address=:70000"], says: "Expected an address such as :8443, 127.0.0.1:8443 or" },
  { command: "admission", args: ["--on-error=x"], says: "Allowed choices are allow, deny." },
  { command: "admission", args: [], says: "--tls-certs-dir: give a directory of tls.crt and tls.key" },
  { command: "migrate", args: [], says: "missing required argument 'composition'" },
])("$command $args is an error with exit code 2: $says", async ({ command, args, says }) => {
  const { exitCode, stdout, stderr } = await runCommand(command, args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
});
