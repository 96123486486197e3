import { Option } from "commander";
import {
  type AddCommand,
  type ClusterFlags,
  choiceFlag,
  clusterFlags,
  durationFlag,
  repeatableFlag,
  withFlags,
} from "../command.ts";

/** The command line of `audit`. */
export interface AuditOptions extends ClusterFlags {
  readonly adopt?: true;
  /** Names of XRs; empty for all. */
  readonly composite?: readonly string[];
  /** In milliseconds. */
  readonly grace: number;
  readonly output: "table" | "json";
}

const flags: readonly Option[] = [
  new Option(
    "--adopt",
    "Print the kubectl commands that put orphans back into their XRs' references; run none.",
  ).conflicts("output"),
  repeatableFlag("--composite <name>", "Only what concerns XRs of this name; it is an error if there is none.", String),
  durationFlag("--grace <duration>", "How old an XR has to be to count as never reconciled.", "2m"),
  choiceFlag("-o, --output <format>", "The format.", ["table", "json"]),
  ...clusterFlags,
];

export const addAudit: AddCommand = (program, choose) =>
  withFlags(program.command("audit"), flags)
    .summary("Find XRs and composed resources that do not match, as after a restore.")
    .description(DESCRIPTION)
    .addHelpText("after", NOTES)
    .action((options: AuditOptions) => choose(async (host) => (await import("./audit.ts")).audit(options, host)));

const DESCRIPTION = `Find faults between composite resources (XRs) and the resources that they compose, as after a restore.
Only reads.

  Unadopted            An XR refers to the resource, and nobody controls it.
  Orphaned             An XR that is there composed it, nobody controls it, and no XR refers to it:
                       Crossplane has forgotten it and will never delete it.
  StaleController      Its controller has the UID that its XR had before a restore.
  ControlledByAnother  An XR refers to it, and somebody else controls it.
  Dangling             An XR refers to it, and it does not exist.
  Unmanaged            Managed resources represent a cloud resource that one of them created, and none of
                       them owns it any more.
  Unregistered         A managed resource has the external name of one that this function has registered,
                       and lacks its label.
  SharedResourceGone   It makes a copy of the connection Secret of an XR that does not exist.
  NeverReconciled      The XR has no condition Synced.`;

const NOTES = `
Exit codes:
  0  Nothing is wrong.
  1  Something is wrong; standard output says what.
  2  The flags are wrong, no XR has the name of --composite, the cluster cannot be asked, or nothing was found but not
     all of it could be looked at.

Examples:
  # After a restore, until nothing is wrong.
  until shared-infrastructure audit; do sleep 30; done

  # The commands that would put orphans back into their XRs' references. Read the documentation before you run them.
  shared-infrastructure audit --adopt

  # In a script.
  shared-infrastructure audit --output=json | jq -r '.findings[] | select(.is == "Orphaned") | .resource.name'`;
