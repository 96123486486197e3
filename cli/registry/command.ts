import { type Command, InvalidArgumentError, Option } from "commander";
import type { SecretName } from "../../src/crossplane/copies.ts";
import { DNS_LABEL, isName } from "../../src/model/names.ts";
import {
  type AddCommand,
  type Choose,
  type ClusterFlags,
  clusterFlags,
  flag,
  toPair,
  withExamples,
  withFlags,
} from "../command.ts";
import type { Format } from "./format.ts";
import { repeat } from "./watch.ts";

/** The flags of all verbs. */
interface RegistryFlags extends ClusterFlags {
  readonly output: Format;
  readonly namespace?: string;
}

export interface ListFlags extends RegistryFlags, WatchFlags {
  readonly contended?: true;
}

export interface WhoOwnsFlags extends RegistryFlags {
  readonly scope?: readonly (readonly [field: string, value: string])[];
  readonly providerConfig?: string;
}

export interface ConsumersFlags extends RegistryFlags, WatchFlags {
  /** The connection Secret, if the shared resource does not name it. */
  readonly secret?: SecretName;
}

export interface GraphFlags extends ClusterFlags {
  readonly output: "html" | "mermaid" | "dot" | "json" | "matrix";
  readonly namespace?: string;
}

/** The flags of the tables that can be watched. */
export interface WatchFlags {
  readonly watch?: true;
}

export const addRegistry: AddCommand = (program, choose) => {
  const registry = addVerb(program, "registry", [
    "shared-infrastructure registry list buckets --contended",
    "shared-infrastructure registry graph > shared.html",
  ])
    .summary("Show which cloud resources are owned, by whom, and who else needs them.")
    .description(DESCRIPTION);
  addList(registry, choose);
  addWhoOwns(registry, choose);
  addConsumers(registry, choose);
  addGraph(registry, choose);
  return registry;
};

const KIND = "A kind of managed resource, as kubectl takes it: Bucket, buckets, bucket.s3.aws.upbound.io";

const addVerb = (parent: Command, name: string, examples: readonly string[]): Command =>
  withExamples(parent.command(name), EXIT_CODES, examples);

const registryFlags = (namespace: string): readonly Option[] => [
  flag.choice("-o, --output <format>", "The format.", ["table", "json"]),
  new Option("-n, --namespace <namespace>", namespace),
  ...clusterFlags,
];

const HOLDERS_IN = "Only cloud resources with an owner or contender in this namespace.";

function addList(registry: Command, choose: Choose): void {
  const list = addVerb(registry, "list", [
    "shared-infrastructure registry list buckets --contended",
    `shared-infrastructure registry list -o json | jq '.items[] | select(.id == "arn:aws:s3:::orders-data") | .owner.owner'`,
  ]);
  withFlags(list, registryFlags(HOLDERS_IN))
    .description("List registered cloud resources, their owners and contenders.")
    .argument("[kinds...]", `${KIND}. Without one, every kind of the category "managed".`)
    .option("--contended", "Only cloud resources that several managed resources represent.")
    .addOption(watch())
    .action((kinds: readonly string[], flags: ListFlags) =>
      choose(async (host) => {
        const { listAll } = await import("./owners.ts");
        return repeat(flags, host, (each) => listAll(kinds, flags, each));
      }),
    );
}

/** Adds `registry who-owns`, which is a command of its own as well: it is what people ask most. */
export const addWhoOwns: AddCommand = (parent, choose) => {
  const whoOwns = addVerb(parent, "who-owns", [
    "shared-infrastructure who-owns bucket orders-data",
    "shared-infrastructure who-owns bucket.s3.aws.upbound.io orders-data --scope=region=eu-west-1 -o json",
  ]);
  withFlags(whoOwns, [
    flag.repeatable(
      "--scope <field=value>",
      "Only where this field of spec.forProvider has this value, such as region=eu-west-1.",
      toPair,
    ),
    new Option("--provider-config <name>", "Only with this ProviderConfig."),
    ...registryFlags(HOLDERS_IN),
  ]);
  return whoOwns
    .description("Show who owns a cloud resource, and who else needs it.")
    .argument("<kind>", `${KIND}. KIND/NAME is accepted, too.`)
    .argument(
      "[name]",
      "The cloud resource's external name; for an Object, what it manages: v1/ConfigMap/team-a/settings. If nothing has that external " +
        "name, the managed resource of that name is looked for.",
    )
    .action((kind: string, name: string | undefined, flags: WhoOwnsFlags) => {
      const target = toKindAndName(whoOwns, kind, name);
      choose(async (host) => (await import("./owners.ts")).whoOwns(target, flags, host));
    });
};

function addConsumers(registry: Command, choose: Choose): void {
  const consumers = addVerb(registry, "consumers", [
    "shared-infrastructure registry consumers XPostgreSQLInstance orders --watch",
    "shared-infrastructure registry consumers xpostgresqlinstance/orders -n data -o json",
  ]);
  withFlags(consumers, registryFlags("The shared resource's own namespace."))
    .description("Show who uses a shared resource, or asks for it.")
    .argument("<kind>", "The kind of the shared resource. KIND/NAME is accepted, too.")
    .argument("[name]", "The shared resource's name.")
    .option(
      "--secret <namespace/name>",
      "The connection Secret beside which ReferenceGrants lie; by default the shared resource's spec.writeConnectionSecretToRef.",
      toSecretName,
    )
    .action((kind: string, name: string | undefined, flags: ConsumersFlags) => {
      const target = toKindAndName(consumers, kind, name);
      choose(async (host) => {
        const { listConsumers } = await import("./consumers.ts");
        return repeat(flags, host, (each) => listConsumers(target, flags, each));
      });
    })
    .addOption(watch());
}

function addGraph(registry: Command, choose: Choose): void {
  const graph = addVerb(registry, "graph", [
    "shared-infrastructure registry graph > shared.html",
    "shared-infrastructure registry graph -o matrix",
  ]);
  withFlags(graph, [
    flag.choice(
      "-o, --output <format>",
      "html is a page in one file; matrix is a table of cloud resources and teams.",
      ["html", "mermaid", "dot", "json", "matrix"],
    ),
    new Option("-n, --namespace <namespace>", "Only what is in this namespace, and what that uses."),
    ...clusterFlags,
  ])
    .description(
      "Draw who shares what: shared resources, grants, consumers, and the owners and observers of cloud resources.",
    )
    .action((flags: GraphFlags) => choose(async (host) => (await import("./draw.ts")).drawGraph(flags, host)));
}

const watch = (): Option => new Option("-w, --watch", "Ask again every five seconds, and print each change.");

/** The resource that `who-owns` and `consumers` look up. */
export interface KindAndName {
  readonly kind: string;
  readonly name: string;
}

/** Accepts `bucket orders` and `bucket/orders`, as kubectl does. */
function toKindAndName(command: Command, first: string, second: string | undefined): KindAndName {
  const [kind = "", name = ""] = second === undefined ? splitSlash(first) : [first, second];
  if (kind === "" || name === "") command.error(`error: expected ${command.name()} KIND NAME`);
  return { kind, name };
}

function toSecretName(text: string): SecretName {
  const [namespace = "", name = ""] = splitSlash(text);
  if (DNS_LABEL.test(namespace) && isName(name)) return { namespace, name };
  throw new InvalidArgumentError("Expected NAMESPACE/NAME.");
}

function splitSlash(text: string): readonly string[] {
  const at = text.indexOf("/");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const DESCRIPTION = `Show who owns cloud resources and who else needs them (list, who-owns), who uses a shared resource (consumers), or all of it as a picture (graph). The registry is the cluster's managed resources: function-shared-infrastructure labels those whose cloud resource several XRs could declare, and writes the owner on each. Only reads; it needs the verb "list" on managed resources, and for consumers and graph on ConfigMaps, EnvironmentConfigs, Namespaces and ReferenceGrants, and "get" on shared resources.`;

const EXIT_CODES = [
  "0  The owner was found, or the list is complete.",
  "1  It has no owner, or there is no such shared resource.",
  "2  The command line is wrong, or not everything could be asked; standard error says what.",
];
