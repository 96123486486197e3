import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { fileOf } from "../../testing/rendering/examples.ts";

/** A rendered resource, as far as the README shows it. */
interface Rendered {
  readonly kind: string;
  readonly status?: { readonly conditions?: readonly Condition[] };
  readonly spec?: {
    readonly forProvider?: { readonly manifest?: { readonly metadata: { readonly name: string; namespace: string } } };
    readonly references?: readonly { readonly toFieldPath: string }[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

/** The two ends of the demo side by side, read from the expected output of both examples. */
export function demoTable(): string {
  const [granted, refused] = ["share-database-copied", "share-database-not-granted"].map(readExpected);
  const row = (title: string, show: (rendered: readonly Rendered[]) => string): string =>
    `| ${title} | ${show(granted ?? [])} | ${show(refused ?? [])} |`;
  return [
    "| | the owner grants `team-a` | the owner grants `team-b` only |",
    "| --- | --- | --- |",
    row("Secret in `team-a`", secretOf),
    row("`SharedResourcesReady`", statusOf),
    row("message", (rendered) => conditionOf(rendered).message ?? ""),
  ].join("\n");
}

const readExpected = (example: string): readonly Rendered[] =>
  readManifests(readFileSync(fileOf(example, "expected.yaml"), "utf8"));

/** Parses the output of a render. */
export const readManifests = (text: string): readonly Rendered[] =>
  parseAllDocuments(text).map((document): Rendered => document.toJS());

/** @throws {Error} where the XR does not have the condition. */
export function conditionOf(rendered: readonly Rendered[]): Condition {
  const conditions = rendered.flatMap(({ status }) => status?.conditions ?? []);
  const condition = conditions.find(({ type }) => type === "SharedResourcesReady");
  if (condition === undefined) throw new Error("cannot find condition SharedResourcesReady in what was rendered");
  return condition;
}

const statusOf = (rendered: readonly Rendered[]): string => {
  const { status, reason } = conditionOf(rendered);
  return `**${status}**, \`${reason}\``;
};

function secretOf(rendered: readonly Rendered[]): string {
  const { spec } = rendered.find(({ kind }) => kind === "Object") ?? {};
  if (spec === undefined) return "none";
  const keys = (spec.references ?? []).map(({ toFieldPath }) => `\`${toFieldPath.replace("data.", "")}\``);
  return `\`${spec.forProvider?.manifest?.metadata.name ?? ""}\` with ${keys.join(", ")}`;
}
