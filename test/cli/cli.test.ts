import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FINDINGS } from "../../cli/audit/world.ts";
import { toProgram } from "../../cli/cli.ts";
import { reasons } from "../../scripts/generate/reasons.ts";
import { inRepository } from "../../scripts/package/layout.ts";
import { runCommand } from "../../testing/tools/run-command.ts";
import { run } from "../../testing/tools/server-tools.ts";

const program = toProgram(() => {}, { print: () => {}, printError: () => {} });
const visible = program.createHelp().visibleCommands(program);
const commands = visible.map((one) => one.name()).filter((name) => name !== "help");

test("the program has these commands", () => {
  const others = ["who-owns", "preflight", "admission", "audit", "record", "explain", "completion"];
  expect(commands).toEqual(["render", "registry", ...others]);
});

const verbs = ["list", "who-owns", "consumers", "graph"].map((verb) => `registry ${verb}`);
test.each([...commands, ...verbs])("%s --help ends with examples that the command line takes", async (name) => {
  const [command = "", ...verb] = name.split(" ");
  const { stdout } = await runCommand(command, [...verb, "--help"]);
  const [, examples = ""] = stdout.split("\nExamples:\n");
  const given = [...examples.matchAll(/shared-infrastructure ([^|>;)\n]+)/g)].map(([, words = ""]) => words.trim());
  expect(given).not.toEqual([]);
  for (const words of given) {
    expect(words).toMatch(new RegExp(`^${name.replace("registry who-owns", "who-owns")}\\b`));
    expect(() => program.parse(words.split(" "), { from: "user" })).not.toThrow();
  }
});

/** What the files of a folder say, each text on one line. */
const textsIn = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file))
    .map((file) => readFileSync(inRepository(`${folder}/${file}`), "utf8").replaceAll(/\\?\n +/g, " "));

const RUN = /(?:^|kubectl |npx |[`|(] ?)shared-infrastructure ([a-z][^`'"|>&;#)\\\n]*)/gm;
const commandsIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(RUN)].map(([, words = ""]) => words.trim()))),
];

describe("a command that a reader is told to run is one that the command line takes", () => {
  const told = commandsIn(textsIn("examples", /\/expected.*\.(?:yaml|txt)$/)); // what the function really says
  const pages = commandsIn([...textsIn("docs", /\.md$/), ...textsIn("examples", /\.md$/)]);

  test.each([...told, ...pages])("%s", (words) => {
    expect(() => program.parse(words.split(/ +/), { from: "user" })).not.toThrow();
  });

  test("the examples have each message of the function that tells to run one", () => {
    const said = textsIn("src", /\.ts$/).flatMap(
      (text) => text.match(/(?<=kubectl shared-infrastructure )[a-z -]+/g) ?? [],
    );
    expect(said).not.toEqual([]);
    for (const words of said) expect(told).toContainEqual(expect.stringMatching(`^${words.trim()}`));
  });
});

describe.each(commands)("%s", (name) => {
  test("prints its help with its exit codes", async () => {
    const { exitCode, stdout, stderr } = await runCommand(name, ["--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: shared-infrastructure ${name} `));
    expect(stdout).toContain("\nExit codes:\n");
  });

  test("an unknown flag is an error that says how to get help", async () => {
    const { exitCode, stdout, stderr } = await runCommand(name, ["--hlep"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: name === "render" ? 80 : 2 });
    const error = "error: unknown option '--hlep'\n(Did you mean --help?)\nAdd --help for help.\n";
    expect(stderr).toBe(`shared-infrastructure: ${error}`);
  });
});

test.each([["--help"], ["-h"], ["help"]])("%s prints the commands", async (word) => {
  const { exitCode, stdout } = await runCommand(word, []);
  expect(exitCode).toBe(0);
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
});

test.each<{ words: readonly string[]; has: readonly string[]; lacks?: readonly string[] }>([
  { words: [""], has: ["registry", "who-owns", "explain"], lacks: ["complete", "list"] },
  { words: ["registry", ""], has: ["list", "graph"], lacks: ["audit"] },
  { words: ["registry", "graph", "-"], has: ["--output", "-o", "--kubeconfig"], lacks: ["--scope"] },
  { words: ["registry", "graph", "-o", ""], has: ["html", "matrix"], lacks: ["-o=html"] },
  { words: ["registry", "graph", "--output=m"], has: ["matrix", "--output=matrix"] },
  { words: ["registry", "graph", "--output", "=", "m"], has: ["matrix"] },
  { words: ["preflight", "--kubeconfig", ""], has: [], lacks: ["preflight"] },
  { words: ["completion", ""], has: ["bash", "zsh", "fish"] },
])("complete $words", async ({ words, has, lacks = [] }) => {
  const { stdout, exitCode } = await runCommand("complete", ["--", ...words]);
  const lines = stdout.split("\n").map((line) => line.split("\t")[0]);
  expect({ exitCode, end: lines.slice(-2) }).toEqual({ exitCode: 0, end: [":0", ""] });
  expect(lines).toEqual(expect.arrayContaining([...has]));
  for (const word of lacks) expect(lines).not.toContain(word);
});

test.each([
  { words: "registry wh", found: "who-owns" },
  { words: "registry graph -o ht", found: "html" },
  { words: "registry graph --output = ma", found: "matrix" },
])("completion bash completes $words", async ({ words, found }) => {
  const { stdout: script } = await runCommand("completion", ["bash"]);
  const all = ["shared-infrastructure", ...words.split(" ")];
  const input = `shared-infrastructure() { node --import tsx cli/main.ts "$@"; }
${script}COMP_WORDS=(${all.join(" ")}); COMP_CWORD=${all.length - 1}
_shared_infrastructure; echo "\${COMPREPLY[@]}"`;
  expect((await run("bash", [], input)).stdout.trim()).toBe(found);
});

describe("explain", () => {
  test("a reason of two conditions: what, who and how of each", async () => {
    const { stdout } = await runCommand("explain", ["accessnotgranted"]);
    const types = ["SharedResourcesReady", "ConsumersServed"];
    expect(stdout.match(/^\w.*$/gm)).toEqual(types.map((type) => `${type} AccessNotGranted`));
    expect(stdout).toMatch(/^ {2}what .*\n {2}who {2}owner\n {2}how {2}\S/m);
  });

  test.each([
    { name: "Unproven", says: "The XR stops" },
    { name: "WaitingForCopies", says: "It usually passes by itself." },
    { name: "InvalidInput", says: "Synced InvalidInput" },
    { name: "TagsOwned", says: "TagsOwned Conflict" },
    { name: "CopyFailed", says: "Most often the ProviderConfig or the namespace does not exist" },
    { name: "DuplicateSuspected", says: "Delete the one that is not wanted" },
  ])("$name: $says", async ({ name, says }) => {
    expect(await runCommand("explain", [name])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(says) });
  });

  test("without a name, everything, and nothing of it refers to another place of the page", async () => {
    const { stdout } = await runCommand("explain", []);
    expect(stdout.match(/^\w.*$/gm)).toHaveLength(reasons.length);
    expect(stdout).not.toMatch(/\bbelow\b|docs\/|\.md\b|\]\(/i);
  });

  test("an unknown reason is exit code 2, with the closest one", async () => {
    const { exitCode, stderr } = await runCommand("explain", ["AcessNotGranted"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("did you mean AccessNotGranted?")]);
  });
});

test("audit --help names each finding", async () => {
  const { stdout } = await runCommand("audit", ["--help"]);
  for (const name of Object.keys(FINDINGS)) expect(stdout).toContain(`${name}: `);
});

test.each([
  { command: "regsitry", args: ["list"], says: "unknown command 'regsitry'\n(Did you mean registry?)" },
  { command: "registry", args: ["lsit"], says: "unknown command 'lsit'\n(Did you mean list?)" },
  { command: "registry", args: [], says: "Usage: shared-infrastructure registry " },
  { command: "registry", args: ["who-owns", "bucket"], says: "error: expected who-owns KIND NAME" },
  { command: "registry", args: ["list", "-o", "xml"], says: "Allowed choices are table, json." },
  { command: "registry", args: ["who-owns", "b", "n", "--scope=x"], says: "Expected KEY=VALUE." },
  { command: "registry", args: ["consumers", "x", "y", "--secret=z"], says: "Expected NAMESPACE/NAME." },
  { command: "audit", args: ["--grace=soon"], says: "Expected a duration such as 30s, 5m or 1m30s." },
  { command: "audit", args: ["--adopt", "-o", "json"], says: "'--adopt' cannot be used with option '-o, --output" },
  { command: "admission", args: ["--address=:70000"], says: "Expected an address such as :8443, 127.0.0.1:8443 or" },
  { command: "admission", args: ["--on-error=x"], says: "Allowed choices are allow, deny." },
  { command: "admission", args: [], says: "--tls-certs-dir: give a directory of tls.crt and tls.key" },
])("$command $args is an error with exit code 2: $says", async ({ command, args, says }) => {
  const { exitCode, stdout, stderr } = await runCommand(command, args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
});
