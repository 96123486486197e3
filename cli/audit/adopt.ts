import type { Composite } from "../../src/crossplane/composite.ts";
import { formatReference, type Reference, referencesPath, resourceKey } from "../../src/crossplane/references.ts";
import { groupBy } from "../../src/model/collections.ts";
import { stringAt } from "../../src/model/document.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { toPrintable, toWord } from "../text.ts";
import type { Finding, World } from "./world.ts";

/** Without apostrophes and semicolons: zsh takes a comment that is pasted for a command. */
const INTRODUCTION = `# Commands that put orphans back into the references of their XRs, so that Crossplane finds them again. None was run.
# Before you run them, make the step of this function with "adoption: {}" the last one of the Composition of each XR. Otherwise
# Crossplane v1.20 and v2.3 delete orphans that the Composition does not desire, and v2.4 forgets them again. With the step each
# orphan is adopted. If the Composition does not desire it under its name, it is deleted then. To keep it, let the Composition
# desire it first.
`;

/** Writes a kubectl command for each XR that has orphans. Its patch fails if the XR has been recreated since. */
export function toCommands(findings: readonly Finding[], { composites }: World): string {
  const orphans = findings.filter(({ is }) => is === "Orphaned");
  if (orphans.length === 0) return "# There are no orphans.\n";
  const byComposite = groupBy(orphans, ({ composite }) => composite && resourceKey(composite));
  const blocks = composites.flatMap((composite) => {
    const own = byComposite.get(resourceKey(composite));
    return own === undefined ? [] : [toBlock(composite, own)];
  });
  const unclear = orphans
    .filter(({ composite }) => composite === undefined)
    .map(
      ({ resource, message }) =>
        `\n# ${toComment(formatReference(resource))}: ${toPrintable(message)}; which XR composed it cannot be told\n`,
    );
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

/** Writes a kubectl command, whose target names the version too: kinds of one name may be in several groups. @param patch quoted */
export function toPatchCommand(resource: Reference, type: "json" | "merge", patch: string): string {
  const { apiVersion, kind, namespace, name } = resource;
  const [group, version] = apiVersion.split("/");
  const target = toWord(`${kind.toLowerCase()}.${version}.${group}/${name}`);
  const within = namespace === undefined ? "" : ` --namespace=${toWord(namespace)}`;
  return `kubectl patch ${target}${within} --type=${type} --patch=${patch}`;
}

/** Quotes it within a comment, too: zsh takes a comment that is pasted for a command. */
const toComment = (text: string): string => toWord(toPrintable(text));

/** Makes a JSON patch, which adds to a list; a merge patch would replace the list. */
function toPatch(composite: Composite, orphans: readonly Finding[]): readonly JsonObject[] {
  const path = referencesPath(composite);
  const added = orphans.map(({ resource: { apiVersion, kind, namespace, name } }): JsonObject => {
    // A namespaced XR composes in its own namespace only, which its references leave out.
    const place = composite.namespace === undefined && namespace !== undefined ? { namespace } : {};
    return { apiVersion, kind, ...place, name };
  });
  const add = (steps: FieldPath, value: JsonValue): JsonObject => ({ op: "add", path: `/${steps.join("/")}`, value });
  const uid = stringAt(composite.document, ["metadata", "uid"]) ?? "";
  const isSame: JsonObject = { op: "test", path: "/metadata/uid", value: uid };
  if (Array.isArray(composite.document.at(path)))
    return [isSame, ...added.map((reference) => add([...path, "-"], reference))];
  const parents = path.slice(1).map((_, index) => path.slice(0, index + 1));
  const missing = parents.filter((parent) => composite.document.at(parent) === undefined);
  return [isSame, ...missing.map((parent) => add(parent, {})), add(path, added)];
}
