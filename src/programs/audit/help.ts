import { clusterFlagsHelp } from "../program.ts";

/** What `audit --help` prints. */
export const help = `Usage: audit [flags]

Find what is wrong between composite resources (XRs) and what they compose, as after a restore. Only reads.

  Unadopted            An XR refers to the resource, and nobody controls it.
  Orphaned             An XR that is there composed it, nobody controls it, and no XR refers to it: Crossplane has
                       forgotten it and will never delete it.
  StaleController      Its controller is its XR before the restore, with another UID.
  ControlledByAnother  An XR refers to it, and somebody else controls it.
  Dangling             An XR refers to it, and it is not there.
  NeverReconciled      The XR has no condition Synced.

Flags:
      --adopt                  Print the kubectl commands that put each orphan back into its XR's references; run none.
      --composite=NAME         Only what concerns XRs of this name. Can be repeated.
      --grace=DURATION         How old an XR has to be to count as never reconciled (default 2m).
  -o, --output=FORMAT          table (default) or json.
${clusterFlagsHelp}

Exit codes:
  0  Nothing is wrong.
  1  Something is wrong; standard output says what.
  2  The flags are wrong, the cluster cannot be asked, or nothing was found but not all of it could be looked at.

Examples:
  # After a restore, until nothing is wrong.
  until audit; do sleep 30; done

  # What would put orphans back into their XRs' references. Read docs/audit.md before you run it.
  audit --adopt

  # In a script.
  audit --output=json | jq -r '.findings[] | select(.is == "Orphaned") | .resource.name'
`;
