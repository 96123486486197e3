import { describe, expect, test } from "vitest";
import { defineCommand } from "../../cli/command.ts";
import { CommandLine } from "../../cli/command-line.ts";

const command = defineCommand({
  name: "grow",
  usage: ["tree|bush NAME [flags]"],
  description: "Grow something.",
  flags: [
    { name: "height", value: "METRES", default: "3", env: "HEIGHT", help: "How high." },
    { name: "colour", short: "c", value: "COLOUR", isRepeatable: true, help: "Which colours." },
    { name: "evergreen", short: "e", help: "In winter as well." },
    { name: "trunk", value: "KIND", verbs: ["tree"], help: "What it stands on." },
  ],
  notes: "",
  exitCodes: { usage: 2, failed: 2 },
});

const read = (args: readonly string[], env = {}) => new CommandLine(args, command, env);
const toMetres = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);

describe("a flag's text", () => {
  test.each([
    { reason: "is its default", args: [], env: {}, text: "3" },
    { reason: "is its environment variable's before its default", args: [], env: { HEIGHT: "5" }, text: "5" },
    { reason: "is its default where the variable is empty", args: [], env: { HEIGHT: "" }, text: "3" },
    { reason: "is what was given, before all others", args: ["--height=7"], env: { HEIGHT: "5" }, text: "7" },
    { reason: "may be the next argument", args: ["--height", "7"], env: {}, text: "7" },
    { reason: "is the last one of several", args: ["--height=7", "--height=8"], env: {}, text: "8" },
    { reason: "may be empty", args: ["--height="], env: { HEIGHT: "5" }, text: "" },
  ])("the text of a flag $reason", ({ args, env, text }) => {
    expect(read(args, env).text("height")).toBe(text);
  });

  test("of a flag that may be repeated, all are kept in their order", () => {
    expect(read(["-c", "red", "--colour=green", "-cblue"]).texts("colour")).toEqual(["red", "green", "blue"]);
  });
});

test.each([
  { args: [], isOn: false },
  { args: ["--evergreen"], isOn: true },
  { args: ["-e"], isOn: true },
  { args: ["--evergreen=false"], isOn: false },
  { args: ["--evergreen", "--evergreen=false"], isOn: false },
])("a switch is $isOn with $args", ({ args, isOn }) => {
  expect(read(args).isOn("evergreen")).toBe(isOn);
});

test("arguments stand anywhere, and all after -- are arguments", () => {
  expect(read(["tree", "-e", "oak", "--", "--height"]).arguments).toEqual(["tree", "oak", "--height"]);
});

test("values are converted when nothing is wrong", () => {
  const line = read(["--height=4", "-c", "red"]);
  const values = line.finish({
    height: line.value("height", toMetres, "a number"),
    colours: line.values("colour", (text) => text.toUpperCase(), "a colour"),
    trunk: line.optionalText("trunk"),
  });
  expect(values).toEqual({ height: 4, colours: ["RED"], trunk: undefined });
});

test("all faults are told at once, each with what was found and what would be right", () => {
  const line = read([
    "bush",
    "oak",
    "x",
    "--heigth=4",
    "-z",
    "--evergreen=maybe",
    "--height=low",
    "-c",
    "mauve",
    "--trunk=log",
  ]);
  line.restrictTo("bush", "grow");
  line.expectNoMoreArguments(2);
  const finish = () =>
    line.finish({
      height: line.value("height", toMetres, "a number"),
      colours: line.values("colour", (text) => (text === "red" ? text : undefined), "a colour"),
    });
  expect(finish).toThrow(
    [
      "cannot use the command line:",
      "  --heigth: unknown flag; did you mean --height?",
      "  -z: unknown flag",
      '  --evergreen: true or false; found "maybe"',
      '  --trunk: not a flag of "grow bush", but of "grow tree"',
      '  unexpected argument "x"',
      '  --height: a number; found "low"',
      '  --colour: a colour; found "mauve"',
    ].join("\n"),
  );
});

test.each([
  { reason: "a flag at the end", args: ["--height"] },
  { reason: "a flag before another one", args: ["--height", "--evergreen"] },
])("$reason needs a value", ({ args }) => {
  expect(() => read(args).finish({})).toThrow("--height: needs a value");
});
