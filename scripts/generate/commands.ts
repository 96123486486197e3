/** A flag of a command, as the reference shows it. */
interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  readonly default?: string;
  /** The environment variable that is read where the flag is not given. */
  readonly env?: string;
  readonly help: string;
}

/** A command, as the reference shows it. */
interface Command {
  readonly name: string;
  readonly usage: readonly string[];
  readonly flags: readonly Flag[];
}

/** Flags that all commands share; docs/cli.md explains them once. */
const COMMON = ["kubeconfig", "context", "retry-for", "help", "version"];

/** Makes the table of commands in docs/cli.md: the ways to call each, and its own flags with their defaults. */
export function commandsReference(commands: readonly Command[]): string {
  const rows = commands.map(({ name, usage, flags }) => {
    const calls = usage.map((form) => `\`${`${name} ${form}`.replace(" [flags]", "")}\``);
    return `| ${calls.join("<br>")} | ${ownFlags(flags).map(toText).join(", ")} |`;
  });
  return ["| command | flags (default) |", "| --- | --- |", ...rows].join("\n");
}

const ownFlags = (flags: readonly Flag[]): readonly Flag[] => flags.filter(({ name }) => !COMMON.includes(name));

function toText({ name, short, value, default: byDefault, env }: Flag): string {
  const names = `\`${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : `=${value}`}\``;
  const defaults = [byDefault, env && `$${env}`].filter(Boolean).map((text) => `\`${text}\``);
  return defaults.length === 0 ? names : `${names} (${defaults.join(", ")})`;
}
