import { allFlags, type Command, type Flag, PROGRAM } from "./command.ts";

const WIDTH = 120;

/** Makes the text of `--help`. */
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

/** Lists the flags of a command, including the common ones. */
export const toFlagTable = (title: string, command: Pick<Command, "flags">): string =>
  toTable(
    title,
    allFlags(command).map((flag) => [toUsage(flag), toDescription(flag)]),
  );

function toUsageLines({ name, usage }: Command): string {
  const lines = usage.map((form) => [PROGRAM, name, form].filter(Boolean).join(" "));
  return lines.map((line, index) => `${index === 0 ? "Usage:" : "      "} ${line}`).join("\n");
}

/** Makes two columns below a title; the second is wrapped. */
export function toTable(title: string, rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const lines = rows.map(
    ([left, right]) => left.padEnd(width) + wrap(right, WIDTH - width).replaceAll("\n", `\n${" ".repeat(width)}`),
  );
  return [title, ...lines].join("\n");
}

/** Wraps each paragraph; indented lines stay as they are. */
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

/** Makes the Markdown table of a command's flags. */
export function toFlagsReference(command: Pick<Command, "flags">): string {
  const rows = allFlags(command).map((flag) => {
    const { name, short, value, default: byDefault, env } = flag;
    const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}${value === undefined ? "" : `=${value}`}`];
    const cells = [names.join(", "), byDefault, env].map((cell) => (cell === undefined ? "" : `\`${cell}\``));
    return `| ${[...cells, toMarkdown(flag)].join(" | ")} |`;
  });
  return ["| flag | default | environment variable | purpose |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function toMarkdown({ help, isRepeatable, verbs }: Flag): string {
  const notes = [
    ...(verbs === undefined ? [] : [`\`${verbs.join("`, `")}\` only.`]),
    ...(isRepeatable ? ["Can be repeated."] : []),
  ];
  return [help, ...notes].join(" ").replaceAll("|", "\\|");
}

/** Makes the Markdown page of all commands, each with its usage, flags and notes. */
export function toCommandsReference(commands: readonly Command[]): string {
  return commands.map(toSection).join("\n\n");
}

function toSection(command: Command): string {
  const usage = command.usage.map((form) => [PROGRAM, command.name, form].join(" ")).join("\n");
  const parameters = (command.arguments ?? []).map(({ name, help }) => `| \`${name}\` | ${help} |`);
  return [
    `## ${command.name}`,
    `\`\`\`\n${usage}\n\`\`\``,
    withFences(command.description),
    ...(parameters.length === 0 ? [] : [["| argument | meaning |", "| --- | --- |", ...parameters].join("\n")]),
    toFlagsReference(command),
    ...(command.notes === "" ? [] : [`\`\`\`\n${command.notes.trim()}\n\`\`\``]),
  ].join("\n\n");
}

/** Turns indented paragraphs into code blocks. */
const withFences = (text: string): string =>
  text
    .split("\n\n")
    .map((paragraph) =>
      paragraph.startsWith(" ") ? `\`\`\`\n${paragraph.replaceAll(/^ {2}/gm, "")}\n\`\`\`` : paragraph,
    )
    .join("\n\n");
