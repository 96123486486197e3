/** What `audit --help` prints. */
export const help = `Usage: function-shared-infrastructure audit [flags]

Find what is wrong between composite resources (XRs) and what they compose, as after a restore. Only reads.

  Unadopted            An XR refers to the resource, and nobody controls it.
  Orphaned             An XR that is there composed it, nobody controls it, and no XR refers to it: Crossplane has
                       forgotten it and will never delete it.
  StaleController      Its controller is its XR before the restore, with another UID.
  ControlledByAnother  An XR refers to it, and somebody else controls it.
  Dangling             An XR refers to it, and it is not there.
  NeverReconciled      The XR has no condition Synced.

Flags:
      --adopt              Print the kubectl commands that put each orphan back into its XR's references, and run none.
      --composite=NAME     Only what concerns XRs of this name. Can be given several times.
      --context=NAME       The kubeconfig's context. Default: its current one.
      --grace=DURATION     How old an XR has to be to count as never reconciled. Default: 2m
  -h, --help               Print this.
      --kubeconfig=PATH    Default: KUBECONFIG, ~/.kube/config, or the pod's service account.
  -o, --output=FORMAT      table or json. Default: table

Exit codes:
  0  Nothing is wrong.
  1  Something is wrong; standard output says what.
  2  The flags are wrong, the cluster cannot be asked, or nothing was found but not all of it could be looked at.

Examples:
  # After a restore, until nothing is wrong.
  until function-shared-infrastructure audit; do sleep 30; done

  # What would put orphans back into their XRs' references. Read docs/audit.md before you run it.
  function-shared-infrastructure audit --adopt

  # In a script.
  function-shared-infrastructure audit --output=json | jq -r '.findings[] | select(.is == "Orphaned") | .resource.name'
`;
