import { type AddCommand, withExamples } from "../command.ts";

export const addMigrate: AddCommand = (program, choose) =>
  withExamples(program.command("migrate"), EXAMPLES)
    .summary("Rewrite the steps of three other functions in a Composition into steps of this one.")
    .description(
      "Rewrite the steps of function-extra-resources, function-environment-configs and function-tag-manager in a Composition into steps " +
        "of this function, and print it. Comments are kept. Reads and writes no cluster.",
    )
    .argument(
      "<composition>",
      "A YAML file with Compositions; other documents stay as they are. - reads standard input.",
    )
    .option(
      "--function <name>",
      "The name of this function's Function in the cluster.",
      "function-shared-infrastructure",
    )
    .action((file: string, { function: name }: { readonly function: string }) =>
      choose(async (host) => (await import("./migrate.ts")).run(file, name, host)),
    );

const EXAMPLES = ["shared-infrastructure migrate composition.yaml > migrated.yaml"];
