import { formatReference } from "../../src/crossplane/references.ts";
import { alignColumns, toJson, toPrintable } from "../text.ts";
import type { Finding, World } from "./world.ts";

const HEADER = ["FINDING", "XR", "RESOURCE", "AS", "WHAT IT MEANS"];

/** Writes the findings for people, each on a line; empty if there are none. */
export function toTable(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const rows = findings.map(({ is, composite, resource, compositionResourceName, message }) => [
    is,
    composite === undefined ? "-" : formatReference(composite),
    formatReference(resource),
    compositionResourceName ?? "-",
    message,
  ]);
  return alignColumns([HEADER, ...rows], "  ");
}

/** Writes the findings for scripts. */
export function toJsonReport(findings: readonly Finding[], world: World): string {
  const { kinds, composites, labelled, notLookedAt } = world;
  const looked = { kinds, composites: composites.length, resources: labelled.size };
  return toJson({ findings, looked, notLookedAt });
}

/** Summarises what was found, in how many objects, and what could not be looked at. */
export function toSummary(findings: readonly Finding[], world: World): string {
  const { kinds, composites, labelled, notLookedAt } = world;
  const found = findings.length === 0 ? "nothing is wrong" : `${findings.length} findings`;
  const missing = notLookedAt.filter(({ isComposed }) => isComposed).map(({ message }) => `not looked at: ${message}`);
  const others = notLookedAt.length - missing.length;
  const unused =
    others > 0 ? [`not looked at: ${others} kinds that no XR refers to; --output=json says which and why`] : [];
  const lines = [
    `${found}: looked at ${composites.length} XRs and ${labelled.size} resources of ${kinds} kinds`,
    ...missing,
    ...unused,
  ];
  return lines.map((line) => `${toPrintable(line)}\n`).join("");
}
