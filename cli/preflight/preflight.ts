import { setTimeout as sleep } from "node:timers/promises";
import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import { qualifiedName } from "../../src/crossplane/metadata.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { documentOf } from "../../src/model/document.ts";
import { formatFieldPath, withValueAt } from "../../src/model/field-path.ts";
import { type Cluster, toBackoff } from "../cluster/cluster.ts";
import { findKind } from "../cluster/discovery.ts";
import { type ClusterFlags, EXIT } from "../command.ts";
import { readMappings } from "../files.ts";
import type { Host } from "../host.ts";
import { type Declaration, findDeclarations, toNamed } from "../lookup/declarations.ts";
import { isInPlace, toLabel } from "../lookup/holding.ts";
import type { Mapping } from "../lookup/mapping.ts";
import { check, toTitle } from "../lookup/ownership.ts";
import { openCluster } from "../open-cluster.ts";
import { toJson, toPrintable } from "../text.ts";
import { type Manifest, readManifests } from "./manifests.ts";

export interface PreflightOptions extends ClusterFlags {
  readonly mapping?: readonly string[];
  readonly namespace?: string;
  readonly output: "text" | "json" | "github";
  /** In milliseconds. */
  readonly wait: number;
  readonly allowContenders?: true;
  readonly allowEmpty?: true;
}

/** Compares manifests with what is owned in the cluster, and with each other. @returns the exit code. */
export async function preflight(paths: readonly string[], options: PreflightOptions, host: Host): Promise<number> {
  const mappings = readMappings(options.mapping);
  const found = await readManifests(paths, options.allowEmpty === true, host);

  const cluster = await openCluster(options, host);
  const manifests = found.map((manifest) => withNamespace(manifest, cluster, options.namespace ?? cluster.namespace));
  const wishes = findWishes(manifests, mappings, cluster.kinds);
  const findings = await askWhileInConflict(options.wait, host, () =>
    findConflicts(cluster, wishes, options.allowContenders === true),
  );
  host.print(toReport(findings, options.output));
  host.printError(toSummary(findings, manifests.length));
  return findings.conflicts.length === 0 ? EXIT.fine : EXIT.found;
}

/** Adds the namespace that rendered manifests of Helm and ArgoCD leave out. */
function withNamespace(manifest: Manifest, cluster: Cluster, namespace: string): Manifest {
  const reference = toReference(documentOf(manifest.object));
  if (findKind(cluster, reference)?.isNamespaced !== true || reference.namespace !== undefined) return manifest;
  return { ...manifest, object: withValueAt(manifest.object, ["metadata", "namespace"], namespace) };
}

/** Asks again while there are conflicts and time is left. A hand-over takes two reconciles, a deletion minutes. */
async function askWhileInConflict(forMs: number, host: Host, ask: () => Promise<Findings>): Promise<Findings> {
  const nextWait = toBackoff({ forMs, firstMs: 1000, maxMs: 30_000 });
  for (;;) {
    const findings = await ask();
    const wait = nextWait();
    if (findings.conflicts.length === 0 || wait === undefined) return findings;
    host.printError(`conflicts: ${findings.conflicts.length}; asking again in ${wait / 1000} s\n`);
    await sleep(wait);
  }
}

type ManifestConflict = ReturnType<typeof toConflict>;

type Findings = Awaited<ReturnType<typeof findConflicts>>;

type Wish = Declaration & { readonly manifest: Manifest };

/** Finds the declarations of all manifests, and the doubts that need no look-up. */
export function findWishes(manifests: readonly Manifest[], mappings: readonly Mapping[], kinds: Cluster["kinds"]) {
  const declared = manifests.map((manifest) => ({ manifest, ...findDeclarations(manifest.object, mappings) }));
  return {
    wishes: declared.flatMap(({ manifest, declarations }) => declarations.map((one) => ({ ...one, manifest }))),
    doubts: declared.flatMap(({ manifest, doubts, isKnown }) => {
      const isUnknown = !isKnown && isCrossplanes(manifest, kinds);
      const all = isUnknown ? [...doubts, "no mapping says which cloud resources it represents"] : doubts;
      return all.map((doubt) => `${describe(manifest, ["kind"])}: ${doubt}`);
    }),
  };
}

function isCrossplanes({ object }: Manifest, kinds: Cluster["kinds"]): boolean {
  const { categories = [] } = findKind({ kinds }, toReference(documentOf(object))) ?? {};
  return categories.includes("composite") || categories.includes("claim");
}

/**
 * Asks the cluster, and compares the manifests with each other.
 *
 * @returns conflicts; doubts, which fail no check, each as `file:line: object: doubt`; and the number of cloud
 * resources that it asked for.
 * @throws {ClusterError}
 */
export async function findConflicts(cluster: Cluster, found: ReturnType<typeof findWishes>, allowContenders: boolean) {
  const { wishes, doubts } = found;
  const checked = await check(cluster, wishes);
  const owned = checked.conflicts
    .filter(({ isKnown }) => !(isKnown && allowContenders))
    .map(({ declaration, owner, message }) => toConflict(declaration, owner, message));
  const conflicts = [...owned, ...amongThemselves(wishes)];
  return { conflicts, doubts: [...doubts, ...checked.doubts], asked: wishes.length };
}

/** Finds cloud resources that manifests of two owners declare: the second declaration is a conflict. */
function amongThemselves(wishes: readonly Wish[]): readonly ManifestConflict[] {
  return [...groupBy(wishes, ({ query }) => toLabel(query)).values()].flatMap((group) =>
    group.flatMap((wish) => {
      const first = group.find((other) => isInPlace(wish.query, other.query)); // the wish itself, if there is none before it
      if (first === undefined || first.owner === wish.owner) return [];
      const where = describe(first.manifest, first.path);
      const message = `${toTitle(wish.query)} is declared by ${first.owner} as well (${where})`;
      return [toConflict(wish, first.owner, message)];
    }),
  );
}

/** Makes a conflict. @param owner the cloud resource's, as `Kind.group/namespace/name` */
function toConflict({ manifest, path }: Wish, owner: string, message: string) {
  const { file, template } = manifest;
  const [line, object, field] = [manifest.findLine(path), describeObject(manifest), formatFieldPath(path)];
  return { file, line, template, object, field, owner, message };
}

const describe = (manifest: Manifest, path: Wish["path"]): string =>
  `${manifest.file}:${manifest.findLine(path)}: ${describeObject(manifest)}`;

function describeObject({ object }: Manifest): string {
  const document = toNamed(object);
  if (document === undefined) return "an object";
  const { apiVersion, kind } = toReference(document);
  return `${toGroupKind(kind, toApiGroup(apiVersion))} ${qualifiedName(document)}`;
}

function toReport(findings: Findings, output: PreflightOptions["output"]): string {
  const { conflicts, doubts } = findings;
  if (output === "json") return toJson(findings);
  const lines =
    output === "text"
      ? conflicts.map(toText)
      : [...conflicts.map(toAnnotation), ...doubts.map((doubt) => `::warning::${escaped(doubt)}`)];
  return lines.map((line) => `${line}\n`).join("");
}

function toText({ file, line, template, object, field, message }: ManifestConflict): string {
  const from = template === undefined ? "" : ` (${template})`;
  return toPrintable(`${file}:${line}${from}: ${object}: ${field}: ${message}`);
}

function toAnnotation({ file, line, template, object, field, message }: ManifestConflict): string {
  // Standard input is no file of the repository. The chart's template is one, but has other line numbers.
  const place = file === "-" ? "" : ` file=${property(file)},line=${line}`;
  const from = template === undefined ? "" : `${template}: `;
  return `::error${place}::${escaped(`${from}${object}: ${field}: ${message}`)}`;
}

/** https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
const escaped = (text: string): string => toPrintable(text).replaceAll("%", "%25");

const property = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** The text for standard error: a line for each doubt, then the numbers. */
function toSummary({ conflicts, doubts, asked }: Findings, objects: number): string {
  const lines = doubts.map((doubt) => `warning: ${toPrintable(doubt)}\n`);
  const numbers = `${counted(objects, "object")}, naming ${counted(asked, "cloud resource")}`;
  return `${lines.join("")}${counted(conflicts.length, "conflict")}: ${numbers}\n`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
