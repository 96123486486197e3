import { allFlags, type Command, type Flag, PROGRAM } from "./command.ts";

const WIDTH = 120;

/** The text that `--help` prints. */
export function toHelp(command: Command): string {
  const parameters = (command.arguments ?? []).map(({ name, help }) => [`  ${name}`, help] as const);
  return [
    toUsageLines(command),
    wrap(command.description),
    ...(parameters.length > 0 ? [toTable("Arguments:", parameters)] : []),
    toFlagTable("Flags:", command),
    command.notes.trim(),
  ]
    .filter((section) => section !== "")
    .map((section) => `${section}\n`)
    .join("\n");
}

/** The flags of a command, those that every command takes included. */
export const toFlagTable = (title: string, command: Pick<Command, "flags">): string =>
  toTable(
    title,
    allFlags(command).map((flag) => [toUsage(flag), toDescription(flag)]),
  );

function toUsageLines({ name, usage }: Command): string {
  const lines = usage.map((form) => [PROGRAM, name, form].filter(Boolean).join(" "));
  return lines.map((line, index) => `${index === 0 ? "Usage:" : "      "} ${line}`).join("\n");
}

/** Two columns below a title; the second one is wrapped. */
export function toTable(title: string, rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const lines = rows.map(
    ([left, right]) => left.padEnd(width) + wrap(right, WIDTH - width).replaceAll("\n", `\n${" ".repeat(width)}`),
  );
  return [title, ...lines].join("\n");
}

/** Breaks each paragraph into lines; indented lines stay as they are. */
function wrap(text: string, width = WIDTH): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith(" ") ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function toUsage({ name, short, value }: Flag): string {
  const shortForm = short === undefined ? "    " : `-${short}, `;
  return `  ${shortForm}--${name}${value === undefined ? "" : `=${value}`}`;
}

function toDescription({ help, default: byDefault, env, isRepeatable, verbs }: Flag): string {
  const notes = [
    byDefault && `default ${byDefault}`,
    env && `environment ${env}`,
    isRepeatable && "can be repeated",
    verbs && `${verbs.join(", ")} only`,
  ].filter(Boolean);
  return notes.length === 0 ? help : `${help} (${notes.join(", ")})`;
}

/** The table of a command's flags, in Markdown. */
export function flagsReference(command: Pick<Command, "flags">): string {
  const rows = allFlags(command).map((flag) => {
    const { name, short, value, default: byDefault, env } = flag;
    const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}${value === undefined ? "" : `=${value}`}`];
    const cells = [names.join(", "), byDefault, env].map((cell) => (cell === undefined ? "" : `\`${cell}\``));
    return `| ${[...cells, toMarkdown(flag)].join(" | ")} |`;
  });
  return ["| flag | default | environment variable | what it does |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function toMarkdown({ help, isRepeatable, verbs }: Flag): string {
  const notes = [
    ...(verbs === undefined ? [] : [`\`${verbs.join("`, `")}\` only.`]),
    ...(isRepeatable ? ["Can be repeated."] : []),
  ];
  return [help, ...notes].join(" ").replaceAll("|", "\\|");
}

/** The page of all commands, in Markdown: a section for each, with its usage, flags and notes. */
export function commandsReference(commands: readonly Command[]): string {
  return commands.map(toSection).join("\n\n");
}

function toSection(command: Command): string {
  const usage = command.usage.map((form) => [PROGRAM, command.name, form].join(" ")).join("\n");
  const parameters = (command.arguments ?? []).map(({ name, help }) => `| \`${name}\` | ${help} |`);
  return [
    `## ${command.name}`,
    `\`\`\`\n${usage}\n\`\`\``,
    withFences(command.description),
    ...(parameters.length === 0 ? [] : [["| argument | what it is |", "| --- | --- |", ...parameters].join("\n")]),
    flagsReference(command),
    ...(command.notes === "" ? [] : [`\`\`\`\n${command.notes.trim()}\n\`\`\``]),
  ].join("\n\n");
}

/** Indented paragraphs become code. */
const withFences = (text: string): string =>
  text
    .split("\n\n")
    .map((paragraph) =>
      paragraph.startsWith(" ") ? `\`\`\`\n${paragraph.replaceAll(/^ {2}/gm, "")}\n\`\`\`` : paragraph,
    )
    .join("\n\n");
