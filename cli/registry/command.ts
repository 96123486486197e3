import { clusterFlags, exitCodes } from "../cluster.ts";
import { defineCommand } from "../command.ts";

export const verbs = ["list", "who-owns", "consumers"] as const;

export const registryCommand = defineCommand({
  name: "registry",
  usage: ["list [KIND...] [flags]", "who-owns KIND NAME [flags]", "consumers KIND NAME [flags]"],
  description:
    "Show who owns cloud resources and who else needs them (list, who-owns), or who has a copy of a shared resource's connection " +
    "Secret (consumers). The registry is the cluster's managed resources: function-shared-infrastructure labels those whose cloud " +
    'resource several XRs could declare, and writes the owner on each. Only reads; it needs the verb "list" on managed ' +
    "resources, and for consumers on Objects of provider-kubernetes, Secrets (their metadata), Namespaces and ReferenceGrants, " +
    'and "get" on the shared resource.',
  arguments: [
    {
      name: "KIND",
      help:
        "A kind of managed resource, as kubectl takes it: Bucket, buckets, bucket.s3.aws.upbound.io. Without one, list asks for every " +
        'kind of the category "managed". For consumers, the kind of the shared resource.',
    },
    {
      name: "NAME",
      help:
        "The cloud resource's external name; for an Object, what it manages: v1/ConfigMap/team-a/settings. If nothing has that external " +
        "name, the managed resource of that name is looked for. For consumers, the shared resource's name.",
    },
  ],
  flags: [
    { name: "output", short: "o", value: "FORMAT", default: "table", help: "table, wide, json or yaml." },
    {
      name: "namespace",
      short: "n",
      value: "NAMESPACE",
      help: "Only cloud resources with an owner or contender in this namespace. For consumers, the shared resource's own namespace.",
    },
    { name: "contended", verbs: ["list"], help: "Only cloud resources that several managed resources stand for." },
    {
      name: "scope",
      value: "FIELD=VALUE",
      isRepeatable: true,
      verbs: ["who-owns"],
      help: "Only where this field of spec.forProvider has this value, such as region=eu-west-1.",
    },
    { name: "provider-config", value: "NAME", verbs: ["who-owns"], help: "Only with this ProviderConfig." },
    {
      name: "secret",
      value: "NAMESPACE/NAME",
      verbs: ["consumers"],
      help: "The connection Secret beside which ReferenceGrants lie; by default the shared resource's spec.writeConnectionSecretToRef.",
    },
    ...clusterFlags,
  ],
  notes: `Exit codes:
  0  The owner was found, or the list is complete.
  1  Nobody owns it, or there is no such shared resource.
  2  The command line is wrong, or not everything could be asked; standard error says what.

Examples:
  function-shared-infrastructure registry list
  function-shared-infrastructure registry list buckets -o wide --contended
  function-shared-infrastructure registry who-owns Bucket orders-data
  function-shared-infrastructure registry who-owns bucket.s3.aws.upbound.io orders-data --scope=region=eu-west-1 -o json
  function-shared-infrastructure registry consumers XPostgreSQLInstance orders -o yaml
  function-shared-infrastructure registry list -o json | jq '.items[] | select(.id == "arn:aws:s3:::orders-data") | .owner.owner'`,
  exitCodes,
});

export type RegistryFlagName = (typeof registryCommand)["flags"][number]["name"];
