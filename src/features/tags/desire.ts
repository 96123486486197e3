import { DELETION_POLICY, MANAGEMENT_POLICIES } from "../../crossplane/management-policies.ts";
import { documentOf } from "../../model/document.ts";
import { type FieldPath, withValueAt } from "../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { CLUSTER, EXTERNAL_NAME_LABEL, IDENTITY } from "../../ownership/marks.ts";
import { OWNER } from "../../ownership/owner.ts";
import { mergeTags } from "./merge.ts";
import type { Settlement } from "./settle.ts";
import type { Subject } from "./subject.ts";
import { fromTagMap, isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import type { Wanted } from "./wanted.ts";

/** Which cloud resource a managed resource stands for, and whose it is. */
export interface Registration {
  readonly identity: string;
  /** By which it is found where less is known than its identity. */
  readonly externalName: string;
  readonly owner: string;
  readonly cluster: string | undefined;
}

const NO_TAGS: TagMap = new Map();

/** What a resource's tags are to be; undefined where there is nothing to change. */
export function tagsFor(subject: Subject, wanted: Wanted): TagMap | undefined {
  const { desired, observed, fieldPath, cloud } = subject;
  const before = desired.at(fieldPath);
  const tags = toTagMap(before) ?? NO_TAGS;
  const spec = observed?.at(fieldPath);
  const sources = {
    desired: tags,
    spec: toTagMap(spec) ?? NO_TAGS,
    cloud: toTagMap(observed?.at(reported(fieldPath))) ?? NO_TAGS,
  };
  const merged = mergeTags(sources, wanted, cloud, Array.isArray(before ?? spec));
  return isSameTags(tags, merged) ? undefined : merged;
}

/** What a provider sends is below spec.forProvider; what it found stands at the same place below status.atProvider. */
export const reported = (fieldPath: FieldPath): FieldPath =>
  fieldPath[0] === "spec" && fieldPath[1] === "forProvider"
    ? ["status", "atProvider", ...fieldPath.slice(2)]
    : fieldPath;

/** The resource with these tags, in the shape that they have there. */
export function withTags(object: JsonObject, { fieldPath, observed }: Subject, tags: TagMap): JsonObject {
  const like: JsonValue | undefined = documentOf(object).at(fieldPath) ?? observed?.at(fieldPath);
  return withValueAt(object, fieldPath, fromTagMap(tags, like));
}

/** The resource as a contender: what everybody finds it by, what it may do, and who is the owner. */
export function asContender(
  object: JsonObject,
  { policies, isOrphaned, annotations }: Settlement,
  { identity, externalName, owner, cluster }: Registration,
): JsonObject {
  const written: Readonly<Record<string, string>> = {
    [OWNER]: owner,
    ...(cluster !== undefined && { [CLUSTER]: cluster }),
    ...annotations,
  };
  let contender = withValueAt(object, ["metadata", "labels", IDENTITY], identity);
  contender = withValueAt(contender, ["metadata", "labels", EXTERNAL_NAME_LABEL], externalName);
  for (const [key, text] of Object.entries(written)) {
    contender = withValueAt(contender, ["metadata", "annotations", key], text);
  }
  if (policies !== undefined) contender = withValueAt(contender, MANAGEMENT_POLICIES, policies);
  return isOrphaned ? withValueAt(contender, DELETION_POLICY, "Orphan") : contender;
}
