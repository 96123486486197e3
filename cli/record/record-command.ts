import { Option } from "commander";
import { type AddCommand, clusterFlags, withExamples, withFlags } from "../command.ts";
import type { ExportFlags } from "./export.ts";

const flags = [new Option("--file <path>", "The file to write, in place of standard output."), ...clusterFlags];

export const addRecord: AddCommand = (program, choose) => {
  const record = withExamples(program.command("record"), EXAMPLES)
    .summary("Export what XRs remember, for a cluster that may be lost.")
    .description(DESCRIPTION);
  withFlags(record.command("export"), flags)
    .description("Print the records of all XRs as manifests.")
    .action((options: ExportFlags) =>
      choose(async (host) => (await import("./export.ts")).exportRecords(options, host)),
    );
  return record;
};

const DESCRIPTION = `Print the records of all XRs as manifests: what each is bound to, and the names and external names of what it composed. They hold
no secrets, no uid and no owner. Without changes in the cluster the output stays the same. Only reads.

External names of a namespaced XR are read from its managed resources, since teams may write its ConfigMap. They are printed
as an EnvironmentConfig, which they may not write.`;

const EXAMPLES = [
  "# Into Git, or a bucket.",
  "shared-infrastructure record export > records.yaml",
  "",
  "# In the rebuilt cluster, before claims and XRs.",
  "kubectl apply --server-side -f records.yaml",
];
