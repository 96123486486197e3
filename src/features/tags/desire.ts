import { DELETION_POLICY, MANAGEMENT_POLICIES } from "../../crossplane/management-policies.ts";
import { documentOf } from "../../model/document.ts";
import { withValueAt } from "../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { CLUSTER, EXTERNAL_NAME_LABEL, IDENTITY } from "../../ownership/marks.ts";
import { OWNER } from "../../ownership/owner.ts";
import type { Arbitration } from "./arbitrate.ts";
import { mergeTags } from "./merge.ts";
import type { Subject } from "./subject.ts";
import { fromTagMap, isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

const NO_TAGS: TagMap = new Map();

/** The tags that a resource is to have; undefined where nothing changes. */
export function decideTags(subject: Subject, wanted: Wanted): TagMap | undefined {
  const { desired, observed, tagField, cloud, reportedTags } = subject;
  if (tagField === undefined) return undefined;
  const before = desired.at(tagField.path);
  const tags = toTagMap(before) ?? NO_TAGS;
  const spec = observed?.at(tagField.path);
  const sources = { desired: tags, spec: toTagMap(spec) ?? NO_TAGS, cloud: reportedTags ?? NO_TAGS };
  const merged = mergeTags(sources, wanted, cloud, Array.isArray(before ?? spec ?? tagField.shape));
  return isSameTags(tags, merged) ? undefined : merged;
}

/** The resource with these tags, in the shape that they have there. */
export function withTags(object: JsonObject, { tagField, observed }: Subject, tags: TagMap): JsonObject {
  if (tagField === undefined) return object;
  const { path, shape } = tagField;
  const like: JsonValue | undefined = documentOf(object).at(path) ?? observed?.at(path) ?? shape;
  return withValueAt(object, path, fromTagMap(tags, like));
}

/** The XR or claim, and the control plane that it is in. */
interface Owner {
  readonly owner: string;
  readonly cluster: string | undefined;
}

/** The resource with the labels by which others find it, the annotations that name the owner, and its policies. */
export function withOwnership(
  object: JsonObject,
  { identity, externalName, settlement: { policies, isOrphaned, annotations } }: Arbitration,
  { owner, cluster }: Owner,
): JsonObject {
  const marks: readonly (readonly [field: string, key: string, text: string])[] = [
    ["labels", IDENTITY, identity],
    ["labels", EXTERNAL_NAME_LABEL, externalName],
    ["annotations", OWNER, owner],
    ...(cluster === undefined ? [] : [["annotations", CLUSTER, cluster] as const]),
    ...Object.entries(annotations).map(([key, text]) => ["annotations", key, text] as const),
  ];
  const marked = marks.reduce(
    (before, [field, key, text]) => withValueAt(before, ["metadata", field, key], text),
    object,
  );
  const limited = policies === undefined ? marked : withValueAt(marked, MANAGEMENT_POLICIES, policies);
  return isOrphaned ? withValueAt(limited, DELETION_POLICY, "Orphan") : limited;
}
