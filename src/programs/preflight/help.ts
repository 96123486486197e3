import { clusterFlagsHelp } from "../program.ts";

/** What `preflight --help` prints. */
export const help = `Usage: preflight [PATH...] [flags]
       helm template ... | preflight [flags]

Before XRs and claims are applied: whether somebody else owns a cloud resource that they stand for. Reads rendered manifests,
asks the managed resources in the cluster (the same look-up as "registry who-owns"), and prints a line for each conflict.
Nothing is written; it needs the verb "list" on the managed resources that it asks for.

What an XR or claim stands for is said by a mapping: docs/registry.md, and deploy/mapping.schema.json for editors. Managed
resources that name their cloud resource (crossplane.io/external-name) need none; those that only observe are left out.

Arguments:
  PATH    A file, or a folder whose .yaml, .yml and .json files are read, those in folders below it too; - is standard
          input, which is also read where there is no PATH. Documents may be Lists, empty, or of any kind.

Flags:
  -m, --mapping=FILE           What XRs and claims stand for. Can be repeated.
  -n, --namespace=NAMESPACE    Of what has none in its manifest. Default: that of the kubeconfig's context, or the pod's.
  -o, --output=FORMAT          text (default), json, or github: annotations of a GitHub workflow.
      --wait=DURATION          Ask again for as long as there are conflicts, with exponential backoff from 1 s to 30 s
                               (default 0s). For what is just being deleted or handed over.
      --allow-contenders       No conflict where a claim or XR already stands beside the owner and observes.
${clusterFlagsHelp}

Exit codes: 0: no conflict; 1: conflicts; 2: it cannot be told, the message says why.

Examples:
  preflight manifests/ --mapping=mapping.yaml
  helm template orders ./chart | preflight --mapping=mapping.yaml --namespace=team-a
  preflight rendered.yaml -m mapping.yaml -o github --wait=2m
`;
