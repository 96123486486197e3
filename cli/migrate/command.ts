import { defineCommand } from "../command.ts";

export const migrateCommand = defineCommand({
  name: "migrate",
  usage: ["COMPOSITION"],
  description: `Rewrite the steps of function-extra-resources, function-environment-configs and function-tag-manager in a
Composition into steps of this function, and print it. Comments are kept. Reads and writes no cluster.`,
  arguments: [
    {
      name: "COMPOSITION",
      help: "A YAML file with Compositions; other documents stay as they are. - reads standard input.",
    },
  ],
  flags: [
    {
      name: "function",
      value: "NAME",
      default: "function-shared-infrastructure",
      help: "The name of this function's Function in the cluster.",
    },
  ],
  notes: `Exit codes:
  0  Everything was translated.
  1  Something could not be translated, or has another meaning here. Standard error says what; the rest was translated.
  2  The command line is wrong, or the file cannot be read.

Examples:
  function-shared-infrastructure migrate composition.yaml > migrated.yaml`,
  exitCodes: { usage: 2, failed: 2 },
});
