import { Option } from "commander";
import { type AddCommand, clusterFlags, flag, withExamples, withFlags } from "../command.ts";
import type { AuditOptions } from "./audit.ts";
import { FINDINGS } from "./world.ts";

const flags: readonly Option[] = [
  new Option(
    "--adopt",
    "Print the kubectl commands that put orphans back into their XRs' references; run none.",
  ).conflicts("output"),
  new Option(
    "--before-removal",
    "Only the managed resources that would write or delete a shared cloud resource if the tags step were removed.",
  ).conflicts("adopt"),
  new Option(
    "--restore",
    "Only the managed resources that only observe since a restore (adoption.restore: ObserveFirst), and how to release each.",
  ).conflicts(["adopt", "beforeRemoval"]),
  flag.repeatable("--composite <name>", "Only what concerns XRs of this name; it is an error if there is none."),
  flag.duration(
    "--grace <duration>",
    "How old an XR has to be to count as never reconciled, and a deletion to count as hanging.",
    "2m",
  ),
  flag.choice("-o, --output <format>", "The format.", ["table", "json"]),
  ...clusterFlags,
];

export const addAudit: AddCommand = (program, choose) =>
  withExamples(withFlags(program.command("audit"), flags), EXAMPLES)
    .summary("Find XRs and composed resources that do not match, as after a restore.")
    .description(DESCRIPTION)
    .action((options: AuditOptions) => choose(async (host) => (await import("./audit.ts")).audit(options, host)));

const DESCRIPTION = `Find faults between composite resources (XRs) and the resources that they compose, as after a restore. Only reads.

${Object.entries(FINDINGS)
  .map(([name, meaning]) => `${name}: ${meaning}`)
  .join("\n")}`;

const EXAMPLES = [
  "# After a restore, until nothing is wrong.",
  "until shared-infrastructure audit; do sleep 30; done",
  "",
  "# Before the tags step is taken out of the Composition of an XR.",
  "shared-infrastructure audit --before-removal --composite=orders",
  "",
  "# In a script.",
  `shared-infrastructure audit --output=json | jq -r '.findings[] | select(.is == "Orphaned") | .resource.name'`,
];
