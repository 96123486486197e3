import { clusterFlags, exitCodes } from "../cluster.ts";
import { defineCommand } from "../command.ts";

export const auditCommand = defineCommand({
  name: "audit",
  usage: ["[flags]"],
  description: `Find faults between composite resources (XRs) and the resources that they compose, as after a restore. Only reads.

  Unadopted            An XR refers to the resource, and nobody controls it.
  Orphaned             An XR that is there composed it, nobody controls it, and no XR refers to it: Crossplane has
                       forgotten it and will never delete it.
  StaleController      Its controller has the UID that its XR had before a restore.
  ControlledByAnother  An XR refers to it, and somebody else controls it.
  Dangling             An XR refers to it, and it does not exist.
  Unmanaged            Managed resources stand for a cloud resource that one of them created, and none of them
                       owns it any more.
  Unregistered         A managed resource has the external name of one that this function has registered, and
                       lacks its label.
  SharedResourceGone   It makes a copy of the connection Secret of an XR that does not exist.
  NeverReconciled      The XR has no condition Synced.`,
  flags: [
    {
      name: "adopt",
      help: "Print the kubectl commands that put each orphan back into its XR's references; run none.",
    },
    {
      name: "composite",
      value: "NAME",
      isRepeatable: true,
      help: "Only what concerns XRs of this name; it is an error if there is none.",
    },
    {
      name: "grace",
      value: "DURATION",
      default: "2m",
      help: "How old an XR has to be to count as never reconciled.",
    },
    { name: "output", short: "o", value: "FORMAT", default: "table", help: "table or json." },
    ...clusterFlags,
  ],
  notes: `Exit codes:
  0  Nothing is wrong.
  1  Something is wrong; standard output says what.
  2  The flags are wrong, no XR has the name of --composite, the cluster cannot be asked, or nothing was found but not
     all of it could be looked at.

Examples:
  # After a restore, until nothing is wrong.
  until function-shared-infrastructure audit; do sleep 30; done

  # The commands that would put orphans back into their XRs' references. Read docs/audit.md before you run them.
  function-shared-infrastructure audit --adopt

  # In a script.
  function-shared-infrastructure audit --output=json | jq -r '.findings[] | select(.is == "Orphaned") | .resource.name'`,
  exitCodes,
});
