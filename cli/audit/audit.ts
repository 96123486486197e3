import type { Composite } from "../../src/crossplane/composite.ts";
import { readUid } from "../../src/crossplane/metadata.ts";
import { formatReference, referencesPath, resourceKey } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { toWord } from "../../src/model/shell.ts";
import { type ClusterFlags, EXIT, invalidFlags } from "../command.ts";
import type { Host } from "../host.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toCount, toJson, toPrintable } from "../text.ts";
import { findHeldBack, findRestored } from "./cloud-resources.ts";
import { toFindings } from "./findings.ts";
import { readWorld } from "./read.ts";
import { compareFindings, type Finding, toPatchCommand, type World } from "./world.ts";

export interface AuditOptions extends ClusterFlags {
  readonly adopt?: true;
  readonly beforeRemoval?: true;
  readonly restore?: true;
  /** Names of XRs; empty for all. */
  readonly composite?: readonly string[];
  /** In milliseconds. */
  readonly grace: number;
  readonly output: "table" | "json";
}

/** @returns the exit code. */
export async function audit({ composite: names = [], ...options }: AuditOptions, host: Host): Promise<number> {
  const cluster = await openCluster(options, host);
  const world = await readWorld(cluster);
  assertExist(names, world);
  const found = options.restore
    ? await findRestored(cluster, world)
    : options.beforeRemoval
      ? findHeldBack(world)
      : toFindings(world, { graceMs: options.grace, now: Date.now() });
  const findings = found
    .filter(({ composite }) => names.length === 0 || (composite !== undefined && names.includes(composite.name)))
    .sort(compareFindings);

  const { kinds, composites, labelled, notLookedAt } = world;
  const looked = { kinds, composites: composites.length, resources: labelled.size };
  const text = options.adopt ? toCommands(findings, world) : toTable(findings);
  host.print(options.output === "json" ? toJson({ findings, looked, notLookedAt }) : text);
  host.printError(toSummary(findings, world));
  if (findings.length > 0) return EXIT.found;
  // Kinds that could not be read fail the audit only if an XR may compose them.
  return notLookedAt.some(({ isComposed }) => isComposed) ? EXIT.failed : EXIT.fine;
}

/** Rejects names that no XR has. They are most likely misspelt, and the answer would be "no findings". */
function assertExist(names: readonly string[], { composites }: World): void {
  const existing = new Set(composites.map(({ name }) => name));
  const faults = names
    .filter((name) => !existing.has(name))
    .map((name) => `cannot find an XR named ${JSON.stringify(name)}${didYouMean(name, [...existing])}`);
  if (faults.length > 0) throw invalidFlags(faults.join("\n"));
}

export function toTable(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const rows = findings.map(({ is, composite, resource, compositionResourceName, message, command }) => [
    is,
    composite === undefined ? "-" : formatReference(composite),
    formatReference(resource),
    compositionResourceName ?? "-",
    command === undefined ? message : `${message}: ${command}`,
  ]);
  return alignColumns([["FINDING", "XR", "RESOURCE", "AS", "WHAT IT MEANS"], ...rows], "  ");
}

function toSummary(findings: readonly Finding[], { kinds, composites, labelled, notLookedAt }: World): string {
  const found = findings.length === 0 ? "no findings" : toCount(findings.length, "finding");
  const missing = notLookedAt.filter(({ isComposed }) => isComposed).map(({ message }) => `not looked at: ${message}`);
  const others = notLookedAt.length - missing.length;
  const resources = `${toCount(labelled.size, "resource")} of ${toCount(kinds, "kind")}`;
  const looked = `looked at ${toCount(composites.length, "XR")} and ${resources}`;
  const lines = [`${found}: ${looked}`, ...missing];
  if (others > 0)
    lines.push(`not looked at: ${toCount(others, "kind")} that no XR refers to; --output=json says which and why`);
  return lines.map((line) => `${toPrintable(line)}\n`).join("");
}

/** The comment above the commands. It has no apostrophes and semicolons, since zsh runs a pasted comment as a command. */
const INTRODUCTION = `# Commands that put orphans back into the references of their XRs, so that Crossplane finds them again. None was run.
# Before you run them, make the step of this function with "adoption: {}" the last one of the Composition of each XR. Otherwise
# Crossplane v1.20 and v2.3 delete orphans that the Composition does not desire, and v2.4 forgets them again. With the step each
# orphan is adopted. If the Composition does not desire it under its name, it is deleted then. To keep it, let the Composition
# desire it first.
`;

/** Writes a kubectl command for each XR that has orphans. Its patch fails if the XR was made anew meanwhile. */
export function toCommands(findings: readonly Finding[], { composites }: World): string {
  const orphans = findings.filter(({ is }) => is === "Orphaned");
  if (orphans.length === 0) return "# No orphans found.\n";
  const byComposite = groupBy(orphans, ({ composite }) => composite && resourceKey(composite));
  const blocks = composites.flatMap((composite) => {
    const own = byComposite.get(resourceKey(composite));
    return own === undefined ? [] : [toBlock(composite, own)];
  });
  const unclear = orphans.filter(({ composite }) => composite === undefined).map(toUnclear);
  return [INTRODUCTION, ...blocks.sort(), ...unclear].join("");
}

function toBlock(composite: Composite, orphans: readonly Finding[]): string {
  const patch = toWord(toPrintable(JSON.stringify(toPatch(composite, orphans))));
  const comments = orphans.map(
    ({ resource, compositionResourceName: as }) =>
      `# ${toComment(formatReference(resource))}${as === undefined ? "" : `, composed as ${toComment(as)}`}\n`,
  );
  return `\n${comments.join("")}${toPatchCommand(composite, "json", patch)}\n`;
}

const toUnclear = ({ resource, message }: Finding): string =>
  `\n# ${toComment(formatReference(resource))}: ${toPrintable(message)}; the XR that composed it is not known\n`;

/** Quotes a text for a comment, since zsh runs a pasted comment as a command. */
const toComment = (text: string): string => toWord(toPrintable(text));

/** Makes a JSON patch that adds the references; a merge patch would replace the list. */
function toPatch(composite: Composite, orphans: readonly Finding[]): readonly JsonObject[] {
  const path = referencesPath(composite);
  const added = orphans.map(({ resource: { apiVersion, kind, namespace, name } }): JsonObject => {
    // A namespaced XR composes in its own namespace only, which its references leave out.
    const place = composite.namespace === undefined && namespace !== undefined ? { namespace } : {};
    return { apiVersion, kind, ...place, name };
  });
  const add = (steps: FieldPath, value: JsonValue): JsonObject => ({ op: "add", path: `/${steps.join("/")}`, value });
  const isSame: JsonObject = { op: "test", path: "/metadata/uid", value: readUid(composite.document) ?? "" };
  if (Array.isArray(composite.document.at(path)))
    return [isSame, ...added.map((reference) => add([...path, "-"], reference))];
  // A patch adds a field only to an object that exists.
  const parents = path.slice(1).map((_, index) => path.slice(0, index + 1));
  const missing = parents.filter((parent) => composite.document.at(parent) === undefined);
  return [isSame, ...missing.map((parent) => add(parent, {})), add(path, added)];
}
