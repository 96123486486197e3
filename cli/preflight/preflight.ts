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
import { toCount, toJson, toPrintable } from "../text.ts";
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
  const declared = readDeclared(manifests, mappings, cluster.kinds);
  const findings = await askWhileInConflict(options.wait, host, () =>
    findConflicts(cluster, declared, options.allowContenders === true),
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

/** Asks again while there are conflicts and time is left. A change of owner takes two reconciles, a deletion minutes. */
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

type ManifestDeclaration = Declaration & { readonly manifest: Manifest };

type Declared = ReturnType<typeof readDeclared>;

/** Finds the declarations of all manifests, and the doubts that need no look-up. */
export function readDeclared(manifests: readonly Manifest[], mappings: readonly Mapping[], kinds: Cluster["kinds"]) {
  const declared = manifests.map((manifest) => ({ manifest, ...findDeclarations(manifest.object, mappings) }));
  return {
    declarations: declared.flatMap(({ manifest, declarations }) => declarations.map((one) => ({ ...one, manifest }))),
    doubts: declared.flatMap(({ manifest, doubts, isKnown }) => {
      const kind = findKind({ kinds }, toReference(documentOf(manifest.object)));
      const isXr = kind?.categories.some((category) => ["composite", "claim"].includes(category)) ?? true;
      const doubt = `${kind ? "" : "its kind is not installed, and "}no mapping says which cloud resources it represents`;
      const all = !isKnown && isXr ? [...doubts, doubt] : doubts;
      return all.map((doubt) => `${describe(manifest, ["kind"])}: ${doubt}`);
    }),
  };
}

/**
 * Asks the cluster, and compares the manifests with each other.
 *
 * @returns conflicts; doubts, which fail no check, as `file:line: object: doubt`; and the number of cloud resources.
 * @throws {ClusterError}
 */
export async function findConflicts(cluster: Cluster, { declarations, doubts }: Declared, allowContenders: boolean) {
  const checked = await check(cluster, declarations);
  const owned = checked.conflicts
    .filter(({ isKnown }) => !(isKnown && allowContenders))
    .map(({ declaration, owner, message }) => toConflict(declaration, owner, message));
  const conflicts = [...owned, ...findConflictsAmong(declarations)];
  return { conflicts, doubts: [...doubts, ...checked.doubts], asked: declarations.length };
}

/** Finds cloud resources that manifests of two owners declare: the second declaration is a conflict. */
function findConflictsAmong(declarations: readonly ManifestDeclaration[]): readonly ManifestConflict[] {
  return [...groupBy(declarations, ({ query }) => toLabel(query)).values()].flatMap((group) =>
    group.flatMap((declaration) => {
      // The first declaration of this cloud resource, which may be this one.
      const first = group.find((other) => isInPlace(declaration.query, other.query));
      if (first === undefined || first.owner === declaration.owner) return [];
      const where = describe(first.manifest, first.path);
      const message = `${toTitle(declaration.query)} is declared by ${first.owner} as well (${where})`;
      return [toConflict(declaration, first.owner, message)];
    }),
  );
}

/** Makes a conflict. @param owner the owner of the cloud resource, as `Kind.group/namespace/name` */
function toConflict({ manifest, path }: ManifestDeclaration, owner: string, message: string) {
  const { file, template } = manifest;
  const [line, object, field] = [manifest.findLine(path), describeObject(manifest), formatFieldPath(path)];
  return { file, line, template, object, field, owner, message };
}

const describe = (manifest: Manifest, path: ManifestDeclaration["path"]): string =>
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

function toSummary({ conflicts, doubts, asked }: Findings, objects: number): string {
  const lines = doubts.map((doubt) => `warning: ${toPrintable(doubt)}\n`);
  const numbers = `${toCount(objects, "object")}, naming ${toCount(asked, "cloud resource")}`;
  return `${lines.join("")}${toCount(conflicts.length, "conflict")}: ${numbers}\n`;
}
