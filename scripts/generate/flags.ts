import { flags } from "../../src/flags.ts";

/** Makes the Markdown table of the function's flags. */
export function flagsReference(): string {
  const rows = Object.values(flags).map(({ flags: usage, defaultValue, envVar, description }) => {
    const names = usage.replace(" [BOOLEAN]", "").replace(/ \[(\w+)\]/, "=$1");
    const cells = [names, defaultValue, envVar].map((cell) => (cell === undefined ? "" : `\`${cell}\``));
    return `| ${[...cells, description].join(" | ")} |`;
  });
  return ["| flag | default | environment variable | purpose |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
