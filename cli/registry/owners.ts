import { withoutScope } from "../../src/crossplane/api-group.ts";
import { countNames, findFacts } from "../../src/crossplane/providers/families.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKindsByName, notInstalled, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { inParallel, Unread } from "../cluster/list.ts";
import { type ClusterFlags, EXIT, invalidFlags, PROGRAM } from "../command.ts";
import type { Host } from "../host.ts";
import { type Holding, toNames } from "../lookup/holding.ts";
import { describeUnknownScope, findScopeFields } from "../lookup/mapping.ts";
import { type CloudResource, listHoldings, lookUp, lookUpManaged, toCloudResources } from "../lookup/ownership.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson, toPrintable } from "../text.ts";

/** The flags of list and who-owns. Each of the commands has only some of the optional flags. */
export interface OwnersFlags extends ClusterFlags {
  readonly output: "table" | "json";
  readonly namespace?: string;
  readonly contended?: true;
  readonly scope?: readonly (readonly [field: string, value: string])[];
  readonly providerConfig?: string;
}

/** Prints all registered cloud resources, and what could not be listed. @returns the exit code. */
export async function listAll(names: readonly string[], flags: OwnersFlags, host: Host): Promise<number> {
  const cluster = await openCluster(flags, host);
  const unread = new Unread();
  const resources = await listCloudResources(cluster, findManagedKinds(names, cluster), unread);
  const listed = resources
    .filter((resource) => hasHolderIn(resource, flags.namespace))
    .filter(({ holdings }) => flags.contended !== true || holdings.length > 1);
  host.print(flags.output === "json" ? toItems(listed) : listText(listed));
  return report(unread, host);
}

export async function listCloudResources(cluster: Cluster, kinds: readonly ResourceKind[], unread: Unread) {
  const lists = await inParallel(kinds, (kind) => unread.unless(kind, listHoldings(cluster, kind), []));
  return toCloudResources(lists.flat());
}

/** @returns the exit code. */
export function report(unread: Unread, { printError }: Pick<Host, "printError">): number {
  const errors = unread.all();
  for (const { message } of errors) printError(`${PROGRAM}: error: ${toPrintable(message)}\n`);
  return errors.length === 0 ? EXIT.fine : EXIT.failed;
}

/** Prints who owns a cloud resource, and who else needs it. @returns the exit code. */
export async function whoOwns(kind: string, name: string, flags: OwnersFlags, host: Host): Promise<number> {
  const cluster = await openCluster(flags, host);
  const kinds = findManagedKinds([kind], cluster);
  assertScope(flags.scope ?? [], kinds);
  const all = toCloudResources(await findHoldings(cluster, kinds, name, flags));
  const resources = all.filter((resource) => hasHolderIn(resource, flags.namespace));
  if (flags.output === "json") host.print(toItems(resources));
  else if (resources.length > 0) host.print(ownersText(resources));
  if (resources.length > 0) return EXIT.fine;
  const isNarrowed = [flags.namespace, flags.scope, flags.providerConfig].some((flag) => flag !== undefined);
  const fitting = isNarrowed ? " with this --namespace, --scope and --provider-config" : "";
  host.printError(`no owner of ${kind} ${JSON.stringify(name)}${fitting}: no managed resource is registered for it\n`);
  return EXIT.found;
}

/** @throws {FunctionError} `InvalidFlags` for fields that do not locate a cloud resource of these kinds. */
function assertScope(scope: NonNullable<OwnersFlags["scope"]>, kinds: readonly ResourceKind[]): void {
  const known = new Set(kinds.flatMap(({ group, kind }) => findScopeFields(group, kind)));
  const unknown = scope.map(([field]) => field).filter((field) => !known.has(field));
  if (unknown.length === 0) return;
  const fault = describeUnknownScope(String(kinds[0]?.kind), known);
  const faults = unknown.map((field) => `--scope: ${field}: ${fault}${didYouMean(field, [...known])}`);
  throw invalidFlags(["cannot use the command line:", ...faults].join("\n  "));
}

/** Looks up by external name or, if nothing has that, by the managed resource's name. */
async function findHoldings(cluster: Cluster, managed: readonly ResourceKind[], name: string, flags: OwnersFlags) {
  const { scope = [], providerConfig } = flags;
  const queries = managed.flatMap(({ group: scoped, kind }) => {
    const group = withoutScope(scoped);
    const names = toNames(name, countNames(findFacts(group, kind).identity));
    return names === undefined ? [] : [{ group, kind, names, scope: new Map(scope), providerConfig }];
  });
  // A provider's cluster-scoped and namespaced kinds are one kind in the cloud.
  const byKind = new Map(queries.map((query) => [`${query.group}/${query.kind}`, query]));
  const found = (await lookUp(cluster, [...byKind.values()])).flat();
  if (found.length > 0) return found;
  return (await inParallel(managed, (kind) => lookUpManaged(cluster, kind, name))).flat();
}

/** Finds managed kinds by their names, or all. @throws {FunctionError} naming all that are not installed. */
export function findManagedKinds(names: readonly string[], { kinds }: Cluster): readonly ResourceKind[] {
  const managed = kinds.filter(({ categories, verbs }) => categories.includes("managed") && verbs.includes("list"));
  const found = names.map((name) => ({ name, found: findKindsByName(name, managed) }));
  const missing = found.filter((one) => one.found.length === 0).map(({ name }) => explainMissing(name, kinds));
  if (missing.length > 0) throw invalidFlags(missing.join("\n"));
  return names.length === 0 ? managed : [...new Set(found.flatMap((one) => one.found))];
}

function explainMissing(name: string, kinds: readonly ResourceKind[]): string {
  const [other] = findKindsByName(name, kinds);
  if (other === undefined) return notInstalled(name);
  return `cannot look up owners of ${toFullName(other)}: not a managed resource (its CRD lacks the category "managed")`;
}

const hasHolderIn = ({ holdings }: CloudResource, namespace: string | undefined): boolean =>
  namespace === undefined || holdings.some((holding) => holding.namespace === namespace);

function listText(resources: readonly CloudResource[]): string {
  if (resources.length === 0) return "No registered cloud resources found.\n";
  const rows = resources.map(({ holdings, holder, state }) => [
    `${holder.query.kind}.${holder.query.group}`,
    holdings[0].externalName,
    state,
    holder.contender.owner || `(${holder.query.kind} ${holder.contender.name})`,
    holder.namespace ?? "",
    String(holdings.length - 1),
    holder.contender.createdAt,
  ]);
  return alignColumns([["KIND", "EXTERNAL NAME", "STATE", "OWNER", "NAMESPACE", "CONTENDERS", "SINCE"], ...rows]);
}

function ownersText(resources: readonly CloudResource[]): string {
  const rows = resources.flatMap((resource) =>
    resource.holdings.map((holding) => [
      toRole(holding, resource),
      holding.contender.owner,
      holding.namespace ?? "",
      holding.claim ?? "",
      holding.contender.createdAt,
      holding.id ?? "",
      holding.resource,
    ]),
  );
  return alignColumns([["ROLE", "OWNER", "NAMESPACE", "CLAIM", "SINCE", "ID", "MANAGED RESOURCE"], ...rows]);
}

function toRole(holding: Holding, { state, holder }: CloudResource): string {
  if (holding.contender.isDeleting) return "BeingDeleted";
  if (holding.contender.isMarked) return "Owner";
  return state === "Unsettled" && holding === holder ? "Next" : "Contender";
}

const toItems = (resources: readonly CloudResource[]): string =>
  toJson({
    items: resources.map((resource) => {
      const { identity, state, holder, holdings } = resource;
      const owner = state === "Unsettled" ? undefined : holder;
      const [first] = holdings;
      return {
        apiGroup: first.query.group,
        kind: first.query.kind,
        externalName: first.externalName,
        id: holder.id ?? holdings.find(({ id }) => id !== undefined)?.id,
        providerConfig: first.query.providerConfig,
        scope: Object.fromEntries(first.query.scope),
        state,
        owner: owner && toHolder(owner, resource),
        contenders: holdings.filter((holding) => holding !== owner).map((holding) => toHolder(holding, resource)),
        identity,
      };
    }),
  });

function toHolder(holding: Holding, resource: CloudResource) {
  const { contender, cluster, claim, namespace, composite, resource: managedResource } = holding;
  const { owner, createdAt: since } = contender;
  return { owner, role: toRole(holding, resource), namespace, claim, composite, cluster, managedResource, since };
}
