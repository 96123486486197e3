import { describe, expect, test } from "vitest";
import { run, subcommands } from "../../cli/cli.ts";
import { readVersion } from "../../src/package.ts";
import { runCommand } from "../../testing/tools/run-command.ts";

describe.each(subcommands.map(({ name }) => name))("%s", (name) => {
  test.each([{ flag: "--help" }, { flag: "-h" }])("$flag prints its help", async ({ flag }) => {
    const { exitCode, stdout, stderr } = await runCommand(run, [name, flag]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: function-shared-infrastructure ${name} `));
  });

  test("--version prints the program's version", async () => {
    const ran = await runCommand(run, [name, "--version"]);
    expect(ran).toEqual({ exitCode: 0, stdout: `${readVersion()}\n`, stderr: "" });
  });

  test("--help is answered whatever else is wrong", async () => {
    const { exitCode, stderr } = await runCommand(run, [
      name,
      "--help",
      "--version",
      "--bogus=x",
      "more",
      "than",
      "is",
      "right",
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("an unknown flag is an error that names the closest flag and how to get help", async () => {
    const { exitCode, stdout, stderr } = await runCommand(run, [name, "--hlep"]);
    expect({ stdout, isFailed: exitCode > 0 }).toEqual({ stdout: "", isFailed: true });
    expect(stderr).toContain("  --hlep: unknown flag; did you mean --help?\n");
    expect(stderr).toContain(`Run "function-shared-infrastructure ${name} --help" for help.\n`);
  });
});

test.each([["--help"], ["-h"], ["help"], ["--insecure", "--help"]])(
  "%s prints the commands and the flags of serve",
  async (...args) => {
    const { exitCode, stdout } = await runCommand(run, args);
    expect(exitCode).toBe(0);
    for (const { name, summary } of subcommands) expect(stdout).toContain(`\n  ${name.padEnd(9)}  ${summary}\n`);
    expect(stdout).toContain("--tls-certs-dir=DIRECTORY");
  },
);

test("help COMMAND prints the command's help", async () => {
  const { stdout } = await runCommand(run, ["help", "audit"]);
  expect(stdout).toMatch(/^Usage: function-shared-infrastructure audit /);
});

test("--version without a command prints the version", async () => {
  expect(await runCommand(run, ["--version"])).toEqual({ exitCode: 0, stdout: `${readVersion()}\n`, stderr: "" });
});

test.each([
  { args: ["regsitry", "list"], says: 'unknown command "regsitry"; did you mean registry?' },
  { args: ["deploy"], says: 'unknown command "deploy"\n' },
  { args: ["regsitry", "--help"], says: 'unknown command "regsitry"; did you mean registry?' },
])("$args is an error with exit code 2, and nothing is served", async ({ args, says }) => {
  const { exitCode, stdout, stderr } = await runCommand(run, args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
  expect(stderr).toContain('Run "function-shared-infrastructure --help" for help.\n');
});
