import { clusterFlags, exitCodes } from "../cluster.ts";
import { defineCommand } from "../command.ts";

export const preflightCommand = defineCommand({
  name: "preflight",
  usage: ["[PATH...] [flags]"],
  description: `Check rendered manifests of XRs, claims and managed resources for cloud resources that somebody else owns, before they are applied. Looks owners up in the cluster, as "registry who-owns" does, and prints a line for each conflict. Only reads; it needs the verb "list" on the managed resources that it asks for.

A mapping says which cloud resources an XR or claim stands for: docs/registry.md, and deploy/mapping.schema.json for editors. Managed resources that name their cloud resource (crossplane.io/external-name) need none; those that only observe are left out.`,
  arguments: [
    {
      name: "PATH",
      help:
        "A file, or a folder whose .yaml, .yml and .json files are read, those in folders below it too; - is standard input, which is also " +
        "read without a PATH. Documents may be Lists, empty, or of any kind; each PATH has to hold a Kubernetes manifest.",
    },
  ],
  flags: [
    {
      name: "mapping",
      short: "m",
      value: "FILE",
      isRepeatable: true,
      help: "The cloud resources that XRs and claims stand for.",
    },
    {
      name: "namespace",
      short: "n",
      value: "NAMESPACE",
      help: "The namespace of objects whose manifest has none. Without it: that of the kubeconfig's context, or the pod's.",
    },
    {
      name: "output",
      short: "o",
      value: "FORMAT",
      default: "text",
      help: "text, json, or github: annotations of a GitHub workflow.",
    },
    {
      name: "wait",
      value: "DURATION",
      default: "0s",
      help:
        "Ask again for as long as there are conflicts, with exponential backoff from 1 s to 30 s. For cloud resources that are being " +
        "deleted or handed over.",
    },
    {
      name: "allow-contenders",
      help: "Report no conflict for a claim or XR that is a contender already, and only observes.",
    },
    {
      name: "allow-empty",
      help:
        "Accept a PATH or standard input without a Kubernetes manifest. By default that is an error, since a renderer that failed prints " +
        "nothing.",
    },
    ...clusterFlags,
  ],
  notes: `Exit codes:
  0  No conflict.
  1  Conflicts.
  2  The manifests or the flags are wrong, or the cluster cannot be asked; standard error says why.

Examples:
  function-shared-infrastructure preflight manifests/ --mapping=mapping.yaml
  helm template orders ./chart | function-shared-infrastructure preflight --mapping=mapping.yaml --namespace=team-a
  function-shared-infrastructure preflight rendered.yaml -m mapping.yaml -o github --wait=2m`,
  exitCodes,
});
