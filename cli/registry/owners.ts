import { withoutScope } from "../../src/crossplane/api-group.ts";
import { countNames, findFacts } from "../../src/crossplane/providers/families.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { discover, findKindsByName, notInstalled, type ResourceKind, toFullName } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { inParallel } from "../cluster/list.ts";
import { EXIT, invalidFlags, PROGRAM } from "../command.ts";
import type { Host } from "../host.ts";
import { type Holding, type ResourceQuery, toNames } from "../lookup/holding.ts";
import { listRegistered, lookUp, lookUpManaged } from "../lookup/look-up.ts";
import { describeUnknownScope, findScopeFields } from "../lookup/mapping.ts";
import { type CloudResource, toCloudResources } from "../lookup/ownership.ts";
import { openCluster, toProgressLine } from "../open-cluster.ts";
import { toPrintable } from "../text.ts";
import type { KindAndName, ListFlags, WhoOwnsFlags } from "./command.ts";
import { listText, ownersText } from "./format.ts";

/** Prints all registered cloud resources, and what could not be listed. @returns the exit code. */
export async function listAll(names: readonly string[], flags: ListFlags, host: Host): Promise<number> {
  const cluster = openCluster(flags, host);
  const { resources, exitCode } = await listCloudResources(cluster, names, await discover(cluster), host);
  const listed = resources
    .filter((resource) => hasHolderIn(resource, flags.namespace))
    .filter(({ holdings }) => flags.contended !== true || holdings.length > 1);
  host.print(listText(listed, flags.output));
  return exitCode;
}

/** Lists the registered cloud resources of these kinds, or of all; reports on standard error what could not be listed. */
export async function listCloudResources(
  cluster: Cluster,
  names: readonly string[],
  installed: readonly ResourceKind[],
  host: Host,
): Promise<{ readonly resources: readonly CloudResource[]; readonly exitCode: number }> {
  const kinds = findManagedKinds(names, installed);
  const { show, clear } = toProgressLine(host);
  const lists = await inParallel(kinds, (kind) => listOneKind(cluster, kind), {
    onDone: (done) => show(`${done} of ${kinds.length} kinds`),
  });
  clear();
  const errors = lists.flatMap(({ error }) => error?.message ?? []);
  for (const message of errors) host.printError(`${PROGRAM}: error: ${toPrintable(message)}\n`);
  const resources = toCloudResources(lists.flatMap(({ holdings }) => holdings));
  return { resources, exitCode: errors.length === 0 ? EXIT.fine : EXIT.failed };
}

/** Lists a kind. If RBAC or the API server refuses this kind, the others are still listed. */
async function listOneKind(
  cluster: Cluster,
  kind: ResourceKind,
): Promise<{ readonly holdings: readonly Holding[]; readonly error?: ClusterError }> {
  try {
    return { holdings: await listRegistered(cluster, kind) };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.code === "NotFound") return { holdings: [] }; // its CRD was removed in between
    if (error.code === "Forbidden" || error.code === "Refused") return { holdings: [], error };
    throw error;
  }
}

/** Prints who owns a cloud resource, and who else needs it. @returns the exit code. */
export async function whoOwns({ kind, name }: KindAndName, flags: WhoOwnsFlags, host: Host): Promise<number> {
  const cluster = openCluster(flags, host);
  const kinds = findManagedKinds([kind], await discover(cluster));
  assertScope(flags.scope ?? [], kinds);
  const resources = toCloudResources(await findHoldings(cluster, kinds, name, flags)).filter((resource) =>
    hasHolderIn(resource, flags.namespace),
  );
  if (resources.length > 0) {
    host.print(ownersText(resources, flags.output));
    return EXIT.fine;
  }
  host.printError(`no owner of ${kind} ${JSON.stringify(name)}: no managed resource is registered for it\n`);
  if (flags.output === "json") host.print(ownersText([], flags.output));
  return EXIT.found;
}

/** @throws {FunctionError} `InvalidFlags` for fields that do not locate a cloud resource of these kinds. */
function assertScope(scope: NonNullable<WhoOwnsFlags["scope"]>, kinds: readonly ResourceKind[]): void {
  const known = new Set(kinds.flatMap(({ group, kind }) => findScopeFields(group, kind)));
  const unknown = scope.map(([field]) => field).filter((field) => !known.has(field));
  if (unknown.length === 0) return;
  const fault = describeUnknownScope(String(kinds[0]?.kind), known);
  const faults = unknown.map((field) => `--scope: ${field}: ${fault}${didYouMean(field, [...known])}`);
  throw invalidFlags(["cannot use the command line:", ...faults].join("\n  "));
}

/** Looks up by external name; only if nothing has that name, by the managed resource's name. */
async function findHoldings(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  name: string,
  { scope = [], providerConfig }: WhoOwnsFlags,
): Promise<readonly Holding[]> {
  const queries = toQueries(kinds, name, { scope: new Map(scope), providerConfig });
  const found = (await lookUp(cluster, kinds, queries)).flatMap(({ holdings }) => holdings);
  if (found.length > 0) return found;
  return (await inParallel(kinds, (kind) => lookUpManaged(cluster, kind, name))).flat();
}

/** Makes a query for each kind. A provider's cluster-scoped and namespaced kinds are one kind in the cloud. */
function toQueries(
  kinds: readonly ResourceKind[],
  name: string,
  place: Pick<ResourceQuery, "scope" | "providerConfig">,
): readonly ResourceQuery[] {
  const queries = kinds.flatMap(({ group, kind }): readonly [string, ResourceQuery][] => {
    const names = toNames(name, countNames(findFacts(withoutScope(group), kind).identity));
    const query = { group: withoutScope(group), kind, ...place };
    return names === undefined ? [] : [[`${query.group}/${kind}`, { ...query, names }]];
  });
  return [...new Map(queries).values()];
}

/** Finds managed kinds by their names, or all. @throws {FunctionError} naming all that are not installed. */
function findManagedKinds(names: readonly string[], kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  const managed = kinds.filter(({ categories, verbs }) => categories.includes("managed") && verbs.includes("list"));
  const found = names.map((name) => ({ name, found: findKindsByName(name, managed) }));
  const missing = found.filter((one) => one.found.length === 0).map(({ name }) => explainMissing(name, kinds));
  if (missing.length > 0) throw invalidFlags(missing.join("\n"));
  return names.length === 0 ? managed : [...new Set(found.flatMap((one) => one.found))];
}

function explainMissing(name: string, kinds: readonly ResourceKind[]): string {
  const [other] = findKindsByName(name, kinds);
  if (other === undefined) return notInstalled(name);
  return `cannot ask for ${toFullName(other)}: it is no managed resource (it lacks the category "managed")`;
}

/** Tells whether an owner or contender is in the namespace; true without a namespace. */
const hasHolderIn = ({ holdings }: CloudResource, namespace: string | undefined): boolean =>
  namespace === undefined || holdings.some((holding) => holding.namespace === namespace);
