import { DELETION_POLICY, MANAGEMENT_POLICIES } from "../../crossplane/management-policies.ts";
import { annotationPath, labelPath } from "../../crossplane/metadata.ts";
import { type Document, TOO_DEEP, type ValueEdit } from "../../model/document.ts";
import { isObject, pick } from "../../model/json.ts";
import {
  CLUSTER,
  CONTENDERS,
  CREATED_BEFORE,
  EXTERNAL_NAME_LABEL,
  IDENTITY,
  ORIGIN,
  TAGS_OWNER,
} from "../../ownership/marks.ts";
import { OWNER } from "../../ownership/owner.ts";
import type { Arbitration } from "./arbitrate.ts";
import { mergeTags, type TagSources } from "./merge.ts";
import type { Subject } from "./subject.ts";
import { fromTagMap, isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

const NO_TAGS: TagMap = new Map();

/** Reads the tags that a resource has, once: there may be thousands. */
export function readTags({ observed, tagField, desiredField, desiredTags, reportedTags }: Subject): TagSources {
  const spec = tagField && observed?.at(tagField.path);
  return {
    desired: desiredTags ?? NO_TAGS,
    spec: toTagMap(spec) ?? NO_TAGS,
    cloud: () => reportedTags() ?? NO_TAGS,
    like: desiredField ?? spec ?? tagField?.shape,
  };
}

/** The tags that a resource is to have; undefined where nothing changes. */
export function decideTags({ cloud, tagField }: Subject, sources: TagSources, wanted: Wanted): TagMap | undefined {
  if (tagField === undefined) return undefined;
  const merged = mergeTags(sources, wanted, cloud);
  return isSameTags(sources.desired, merged) ? undefined : merged;
}

/** The resource with these tags, in the shape that they have there. */
export const withTags = ({ desired, tagField }: Subject, { like }: TagSources, tags: TagMap): Document =>
  tagField === undefined ? desired : desired.with([{ path: tagField.path, value: fromTagMap(tags, like) }]);

const IDENTITY_PATH = labelPath(IDENTITY);
const EXTERNAL_NAME_PATH = labelPath(EXTERNAL_NAME_LABEL);
const OWNER_PATH = annotationPath(OWNER);
const CLUSTER_PATH = annotationPath(CLUSTER);

/** The XR or claim, and the control plane that it is in. */
interface Owner {
  readonly owner: string;
  readonly cluster: string | undefined;
}

const ANNOTATIONS = ["metadata", "annotations"];
const MARKS = [CLUSTER, TAGS_OWNER, CONTENDERS, ORIGIN, CREATED_BEFORE];
const MARK_PATHS = MARKS.map(annotationPath);

/** Leaves out what an earlier step says about ownership: a Composition may copy it from an XR, which a team writes. */
function withoutMarks(desired: Document): readonly ValueEdit[] {
  if (MARK_PATHS.every((path) => desired.at(path, TOO_DEEP) === undefined)) return [];
  const annotations = desired.at(ANNOTATIONS);
  return isObject(annotations) ? [{ path: ANNOTATIONS, value: pick(annotations, (key) => !MARKS.includes(key)) }] : [];
}

/** The resource with the labels by which others find it, the annotations that name the owner, and its policies. */
export function withOwnership(
  desired: Document,
  { identity, externalName, settlement: { policies, isOrphaned, annotations } }: Arbitration,
  { owner, cluster }: Owner,
): Document {
  const edits: ValueEdit[] = [
    ...withoutMarks(desired),
    { path: IDENTITY_PATH, value: identity },
    { path: EXTERNAL_NAME_PATH, value: externalName },
    { path: OWNER_PATH, value: owner },
  ];
  if (cluster !== undefined) edits.push({ path: CLUSTER_PATH, value: cluster });
  for (const [key, value] of annotations) edits.push({ path: annotationPath(key), value });
  if (policies !== undefined) edits.push({ path: MANAGEMENT_POLICIES, value: policies });
  if (isOrphaned) edits.push({ path: DELETION_POLICY, value: "Orphan" });
  return desired.with(edits);
}
