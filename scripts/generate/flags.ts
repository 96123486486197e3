import { type Flag, flags } from "../../src/flags.ts";

/** Makes the Markdown table of the function's flags. */
export function flagsReference(): string {
  const rows = flags.map(({ name, short, value, default: byDefault, env, help }: Flag) => {
    const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}${value === undefined ? "" : `=${value}`}`];
    const cells = [names.join(", "), byDefault, env].map((cell) => (cell === undefined ? "" : `\`${cell}\``));
    return `| ${[...cells, help].join(" | ")} |`;
  });
  return ["| flag | default | environment variable | purpose |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
