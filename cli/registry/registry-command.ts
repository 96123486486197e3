import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SecretName } from "../../src/crossplane/copies.ts";
import { DNS_LABEL, isName } from "../../src/model/names.ts";
import { type AddCommand, clusterFlags, flag, toPair, withExamples, withFlags } from "../command.ts";
import type { Host } from "../host.ts";
import type { GraphFlags } from "./graph.ts";
import type { ConsumersFlags } from "./list-consumers.ts";
import type { OwnersFlags } from "./owners.ts";

type Watch = { readonly watch?: true };

export const addRegistry: AddCommand = (program, choose) => {
  const registry = withExamples(program.command("registry"), [
    "shared-infrastructure registry list buckets --contended",
    "shared-infrastructure registry graph > shared.html",
  ])
    .summary("Show which cloud resources are owned, by whom, and who else needs them.")
    .description(DESCRIPTION);
  for (const add of [addList, addWhoOwns, addConsumers, addGraph]) add(registry, choose);
  return registry;
};

const KIND = "A kind of managed resource, as kubectl takes it: Bucket, buckets, bucket.s3.aws.upbound.io";

const addVerb = (registry: Command, name: string, namespace: string, examples: readonly string[]): Command =>
  withFlags(withExamples(registry.command(name), examples), [
    flag.choice("-o, --output <format>", "The format.", ["table", "json"]),
    new Option("-n, --namespace <namespace>", namespace),
    ...clusterFlags,
  ]);

const HOLDERS_IN = "Only cloud resources with an owner or contender in this namespace.";
const WATCH = ["-w, --watch", "Ask again every five seconds, and print each change."] as const;

const addList: AddCommand = (registry, choose) =>
  addVerb(registry, "list", HOLDERS_IN, [
    "shared-infrastructure registry list buckets --contended",
    `shared-infrastructure registry list -o json | jq '.items[] | select(.id == "arn:aws:s3:::orders-data") | .owner.owner'`,
  ])
    .description("List registered cloud resources, their owners and contenders.")
    .argument("[kinds...]", `${KIND}. Without one, every kind of the category "managed".`)
    .option("--contended", "Only cloud resources that several managed resources represent.")
    .option(...WATCH)
    .action((kinds: readonly string[], flags: OwnersFlags & Watch) =>
      choose(repeat(flags, async (host) => (await import("./owners.ts")).listAll(kinds, flags, host))),
    );

/** Adds `registry who-owns`, which is a command of its own as well: it is what people ask most. */
export const addWhoOwns: AddCommand = (parent, choose) => {
  const scope = "Only where this field of spec.forProvider has this value, such as region=eu-west-1.";
  return addVerb(parent, "who-owns", HOLDERS_IN, [
    "shared-infrastructure who-owns bucket orders-data",
    "shared-infrastructure who-owns bucket.s3.aws.upbound.io orders-data --scope=region=eu-west-1 -o json",
  ])
    .addOption(flag.repeatable("--scope <field=value>", scope, toPair))
    .option("--provider-config <name>", "Only with this ProviderConfig.")
    .description("Show who owns a cloud resource, and who else needs it.")
    .argument("<kind>", `${KIND}. KIND/NAME is accepted, too.`)
    .argument(
      "[name]",
      "The cloud resource's external name; for an Object, what it manages: v1/ConfigMap/team-a/settings. If nothing has that external " +
        "name, the managed resource of that name is looked for.",
    )
    .action((kind: string, name: string | undefined, flags: OwnersFlags, command: Command) => {
      const target = toKindAndName(command, kind, name);
      choose(async (host) => (await import("./owners.ts")).whoOwns(...target, flags, host));
    });
};

const addConsumers: AddCommand = (registry, choose) => {
  const secret =
    "The connection Secret beside which ReferenceGrants lie; by default the shared resource's spec.writeConnectionSecretToRef.";
  return addVerb(registry, "consumers", "The shared resource's own namespace; default: the context's.", [
    "shared-infrastructure registry consumers XPostgreSQLInstance orders --watch",
    "shared-infrastructure registry consumers xpostgresqlinstance/orders -n data -o json",
  ])
    .description("Show who uses a shared resource, or asks for it.")
    .argument("<kind>", "The kind of the shared resource. KIND/NAME is accepted, too.")
    .argument("[name]", "The shared resource's name.")
    .option("--secret <namespace/name>", secret, toSecretName)
    .option(...WATCH)
    .action((kind: string, name: string | undefined, flags: ConsumersFlags & Watch, command: Command) => {
      const target = toKindAndName(command, kind, name);
      choose(
        repeat(flags, async (host) => (await import("./list-consumers.ts")).listConsumers(...target, flags, host)),
      );
    });
};

const addGraph: AddCommand = (registry, choose) => {
  const graph = withExamples(registry.command("graph"), [
    "shared-infrastructure registry graph > shared.html",
    "shared-infrastructure registry graph -o matrix",
  ]);
  const formats = "html is a page in one file; matrix is a table of cloud resources and teams.";
  return withFlags(graph, [flag.choice("-o, --output <format>", formats, ["html", "json", "matrix"]), ...clusterFlags])
    .option("-n, --namespace <namespace>", "What is in this namespace, and its direct neighbours.")
    .description(
      "Draw who shares what: shared resources, grants, consumers, and the owners and observers of cloud resources.",
    )
    .action((flags: GraphFlags) => choose(async (host) => (await import("./graph.ts")).drawGraph(flags, host)));
};

const FIRST_SLASH = /\/(.*)/s;

/** Accepts `bucket orders` and `bucket/orders`, as kubectl does. */
function toKindAndName(command: Command, first: string, second: string | undefined): readonly [string, string] {
  const [kind = "", name = ""] = second === undefined ? first.split(FIRST_SLASH) : [first, second];
  if (kind === "" || name === "") command.error(`error: expected ${command.name()} KIND NAME`);
  return [kind, name];
}

function toSecretName(text: string): SecretName {
  const [namespace = "", name = ""] = text.split(FIRST_SLASH);
  if (DNS_LABEL.test(namespace) && isName(name)) return { namespace, name };
  throw new InvalidArgumentError("Expected NAMESPACE/NAME.");
}

const EVERY_MS = 5_000;

/** Runs a listing once; with `--watch` again and again until a signal, printing each output that differs from the last. */
function repeat({ watch }: Watch, work: (host: Host) => Promise<number>): typeof work {
  if (watch === undefined) return work;
  return async (host) => {
    const stop = new AbortController();
    void host.nextSignal().then(() => stop.abort());
    let [before, exitCode] = ["", 0];
    while (!stop.signal.aborted) {
      let output = "";
      exitCode = await work({ ...host, print: (text) => (output += text) });
      if (output !== before) host.print(before === "" ? output : `\n${output}`);
      before = output;
      await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    return exitCode;
  };
}

const DESCRIPTION = `Show who owns cloud resources and who else needs them (list, who-owns), who uses a shared resource (consumers), or all of it as a picture (graph). The registry is the cluster's managed resources: function-shared-infrastructure labels those whose cloud resource several XRs could declare, and writes the owner on each. Only reads; it needs the verb "list" on managed resources, and for consumers and graph on ConfigMaps, EnvironmentConfigs, Namespaces and ReferenceGrants, and "get" on shared resources.`;
