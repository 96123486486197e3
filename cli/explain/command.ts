import { type AddCommand, withExamples } from "../command.ts";

export const addExplain: AddCommand = (program, choose) => {
  const explain = program
    .command("explain")
    .summary("Explain a reason of a condition: what happened, who acts, and how.")
    .description(
      "Explain the reasons of this function's conditions, and the codes of its Fatal results, as docs/conditions.md does. Asks no cluster.",
    )
    .argument("[name]", "A reason, or a condition for all its reasons, in any case. Without one, all are explained.")
    .action((name: string | undefined) => choose(async (host) => (await import("./explain.ts")).explain(name, host)));
  return withExamples(
    explain,
    ["0  Explained.", "2  There is no such reason."],
    ["shared-infrastructure explain AccessNotGranted", "shared-infrastructure explain TagsOwned"],
  );
};
