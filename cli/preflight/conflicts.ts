import { toGroupKind } from "../../src/crossplane/api-group.ts";
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
export interface Wishes {
  readonly wishes: readonly Wish[];
  readonly doubts: readonly string[];
}

/** @param cluster distinguishes XRs and claims without a mapping from objects that are not Crossplane's. */
export function findWishes(
  manifests: readonly Manifest[],
  mappings: readonly Mapping[],
  cluster: Pick<Cluster, "kinds">,
): Wishes {
  const declared = manifests.map((manifest) => ({ manifest, ...findDeclarations(manifest.object, mappings) }));
  return {
    wishes: declared.flatMap(({ manifest, declarations }) => declarations.map((one) => ({ ...one, manifest }))),
    doubts: declared.flatMap(({ manifest, doubts, isKnown }) => {
      const unknown =
        !isKnown && isCrossplanes(manifest, cluster) ? [`no mapping says which cloud resources it represents`] : [];
      return [...doubts, ...unknown].map(
        (doubt) => `${describePlace(manifest, ["kind"])}: ${describeObject(manifest)}: ${doubt}`,
      );
    }),
  };
}

const isCrossplanes = ({ object }: Manifest, cluster: Pick<Cluster, "kinds">): boolean =>
  findKind(cluster, toReference(documentOf(object)))?.categories.some((category) =>
    ["composite", "claim"].includes(category),
  ) === true;

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
      const where = `${describePlace(first.manifest, first.path)}: ${describeObject(first.manifest)}`;
      const { owner } = first.declarer;
      return [
        toConflict(wish, { owner, message: `${toTitle(wish.query)} is declared by ${owner} as well (${where})` }),
      ];
    }),
  );
}

const toConflict = (
  { manifest, path }: Wish,
  { owner, message }: Pick<Conflict, "owner" | "message">,
): ManifestConflict => ({
  file: manifest.file,
  line: manifest.findLine(path),
  template: manifest.template,
  object: describeObject(manifest),
  field: formatFieldPath(path),
  owner,
  message,
});

const describePlace = (manifest: Manifest, path: Wish["path"]): string => `${manifest.file}:${manifest.findLine(path)}`;

/** `Bucket.platform.example.org team-a/orders`. */
function describeObject({ object }: Manifest): string {
  const named = toNamed(object);
  if (named === undefined) return "an object";
  const { namespace, name } = toReference(named.document);
  return `${toGroupKind(named.kind, named.group)} ${[namespace, name].filter(Boolean).join("/")}`;
}

export type Output = "text" | "json" | "github";

/** The text for standard output. */
export function toReport({ conflicts, doubts, asked }: Findings, output: Output): string {
  if (output === "json") return toJson({ conflicts, doubts, asked });
  const toLine = output === "github" ? toAnnotation : toText;
  const warnings = output === "github" ? doubts.map((doubt) => `::warning::${escaped(doubt)}\n`) : [];
  return [...conflicts.map((conflict) => `${toLine(conflict)}\n`), ...warnings].join("");
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
