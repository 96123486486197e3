import { clusterFlagsHelp } from "../program.ts";

/** What `registry --help` prints. */
export const help = `Usage: registry list [KIND...] [flags]         which cloud resources are owned, by whom, and who else needs them
       registry who-owns KIND NAME [flags]     who owns one of them

Asks the managed resources, which are the registry: function-shared-infrastructure labels those that somebody else might
name as well, and writes on them whose they are. Nothing is written; it needs the verb "list" on managed resources.

Arguments:
  KIND    A kind of managed resource, as kubectl takes it: Bucket, buckets, bucket.s3.aws.upbound.io. "list" without one
          asks for every kind of the category "managed".
  NAME    The cloud resource's external name; of an Object, what it manages: v1/ConfigMap/team-a/settings. Where nothing has
          that external name, the managed resource of that name is looked for.

Flags:
  -o, --output=FORMAT          table (default), wide, json or yaml.
  -n, --namespace=NAMESPACE    Only cloud resources that an owner or contender in this namespace has.
      --contended              Only cloud resources that more than one stands for. (list)
      --scope=FIELD=VALUE      Only where this field of spec.forProvider has this value, such as region=eu-west-1. Can be
                               repeated. (who-owns)
      --provider-config=NAME   Only with this ProviderConfig. (who-owns)
${clusterFlagsHelp}

Exit codes: 0: there is one, or the list is whole; 1: nobody owns it; 2: not everything could be asked, the message says what.

Examples:
  registry list
  registry list buckets -o wide --contended
  registry who-owns Bucket orders-data
  registry who-owns bucket.s3.aws.upbound.io orders-data --scope=region=eu-west-1 -o json
  registry list -o json | jq '.items[] | select(.id == "arn:aws:s3:::orders-data") | .owner.owner'
`;
