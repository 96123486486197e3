import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import { qualifiedName } from "../../src/crossplane/metadata.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { documentOf } from "../../src/model/document.ts";
import { formatFieldPath } from "../../src/model/field-path.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind } from "../cluster/discovery.ts";
import { type Declaration, findDeclarations, toNamed } from "../lookup/declarations.ts";
import { isInPlace, toLabel } from "../lookup/holding.ts";
import type { Mapping } from "../lookup/mapping.ts";
import { type Conflict, check, toTitle } from "../lookup/ownership.ts";
import { toJson, toPrintable } from "../text.ts";
import type { Manifest } from "./manifests.ts";

/** A cloud resource that a manifest declares and another XR or claim owns. */
interface ManifestConflict {
  readonly file: string;
  readonly line: number;
  readonly template: string | undefined;
  /** `Bucket.platform.example.org team-a/orders`. */
  readonly object: string;
  readonly field: string;
  /** `Kind.group/namespace/name`, as the function writes owners. */
  readonly owner: string;
  /** Names the owner, its managed resource, and when that was created. */
  readonly message: string;
}

export interface Findings {
  readonly conflicts: readonly ManifestConflict[];
  /** Doubts, which fail no check, each as `file:line: object: doubt`. */
  readonly doubts: readonly string[];
  /** The number of cloud resources that were looked up. */
  readonly asked: number;
}

/** A manifest's declaration. */
interface Wish extends Declaration {
  readonly manifest: Manifest;
}

/** The declarations of all manifests, and the doubts that need no look-up. */
export type Wishes = ReturnType<typeof findWishes>;

/** @param cluster distinguishes XRs and claims without a mapping from objects that are not Crossplane's. */
export function findWishes(
  manifests: readonly Manifest[],
  mappings: readonly Mapping[],
  cluster: Pick<Cluster, "kinds">,
): { readonly wishes: readonly Wish[]; readonly doubts: readonly string[] } {
  const declared = manifests.map((manifest) => ({ manifest, ...findDeclarations(manifest.object, mappings) }));
  return {
    wishes: declared.flatMap(({ manifest, declarations }) => declarations.map((one) => ({ ...one, manifest }))),
    doubts: declared.flatMap(({ manifest, doubts, isKnown }) => {
      const isUnknown = !isKnown && isCrossplanes(manifest, cluster);
      const all = isUnknown ? [...doubts, "no mapping says which cloud resources it represents"] : doubts;
      return all.map((doubt) => `${describe(manifest, ["kind"])}: ${doubt}`);
    }),
  };
}

function isCrossplanes({ object }: Manifest, cluster: Pick<Cluster, "kinds">): boolean {
  const { categories = [] } = findKind(cluster, toReference(documentOf(object))) ?? {};
  return categories.includes("composite") || categories.includes("claim");
}

/** Asks the cluster, and compares the manifests with each other. @throws {ClusterError} */
export async function findConflicts(
  cluster: Cluster,
  { wishes, doubts }: Wishes,
  allowContenders: boolean,
): Promise<Findings> {
  const checked = await check(cluster, wishes);
  const owned = checked.flatMap(({ declaration, conflict }) =>
    conflict === undefined || (conflict.isKnown && allowContenders) ? [] : [toConflict(declaration, conflict)],
  );
  const missing = new Set(checked.flatMap(({ doubt }) => doubt ?? []));
  return { conflicts: [...owned, ...amongThemselves(wishes)], doubts: [...doubts, ...missing], asked: wishes.length };
}

/** Compares manifests: if two owners declare one cloud resource, the second declaration is a conflict. */
function amongThemselves(wishes: readonly Wish[]): readonly ManifestConflict[] {
  return [...groupBy(wishes, ({ query }) => toLabel(query)).values()].flatMap((group) =>
    group.flatMap((wish) => {
      const first = group.find((other) => isInPlace(wish.query, other.query)); // the wish itself, if there is none before it
      if (first === undefined || first.declarer.owner === wish.declarer.owner) return [];
      const { owner } = first.declarer;
      const where = describe(first.manifest, first.path);
      const message = `${toTitle(wish.query)} is declared by ${owner} as well (${where})`;
      return [toConflict(wish, { owner, message })];
    }),
  );
}

function toConflict(
  { manifest, path }: Wish,
  { owner, message }: Pick<Conflict, "owner" | "message">,
): ManifestConflict {
  const { file, template } = manifest;
  const [line, object, field] = [manifest.findLine(path), describeObject(manifest), formatFieldPath(path)];
  return { file, line, template, object, field, owner, message };
}

const describe = (manifest: Manifest, path: Wish["path"]): string =>
  `${manifest.file}:${manifest.findLine(path)}: ${describeObject(manifest)}`;

/** `Bucket.platform.example.org team-a/orders`. */
function describeObject({ object }: Manifest): string {
  const document = toNamed(object);
  if (document === undefined) return "an object";
  const { apiVersion, kind } = toReference(document);
  return `${toGroupKind(kind, toApiGroup(apiVersion))} ${qualifiedName(document)}`;
}

export type Output = "text" | "json" | "github";

/** The text for standard output. */
export function toReport(findings: Findings, output: Output): string {
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
export function toSummary({ conflicts, doubts, asked }: Findings, objects: number): string {
  const lines = doubts.map((doubt) => `warning: ${toPrintable(doubt)}\n`);
  const numbers = `${counted(objects, "object")}, naming ${counted(asked, "cloud resource")}`;
  return `${lines.join("")}${counted(conflicts.length, "conflict")}: ${numbers}\n`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
