import { annotationPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Rotation } from "../../input/consumers.ts";
import { type Draft, withDocuments } from "../../model/draft.ts";
import { hashText } from "../../model/hash.ts";
import { ROTATION } from "../../ownership/annotations.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { recallNames } from "../names.ts";
import type { KnownAccess } from "./access.ts";

/** Who has access to the common password. */
export type Allowed = Pick<KnownAccess, "namespaces" | "isForAll">;

/** The largest number of namespaces that are remembered: all annotations of an object take 256 KB (TotalAnnotationSizeLimitB). */
export const MAX_REMEMBERED = 10_000;

/** Who had access, by hashes of their namespaces' names: a thousand names would fill the annotation. */
interface Memory {
  readonly granted: readonly string[];
  /** Undefined before anybody lost access: the password that is there needs no change. */
  readonly trigger: string | undefined;
}

/**
 * Sets the field to a value that changes once when a namespace loses access. A grant that is added changes nothing, and neither
 * does the first look: who has access is remembered on the resource and in the record of names, and only what is missing from that since counts.
 *
 * @param access undefined while it is not known: field and memory stay as they are. So they do for more namespaces than can be
 *   remembered.
 */
export function withRotation(
  draft: Draft,
  { resource, toFieldPath }: Rotation,
  access: Allowed | undefined,
  call: Call,
) {
  const desired = desiredSoFar(call, draft).get(resource);
  if (desired === undefined) return draft;
  const observed = call.request.observed.resources.get(resource)?.document;
  const noticed = observed && readAnnotation(observed, ROTATION);
  const memory = remember(readMemory(noticed ?? recallNames(call).names.get(resource)?.rotation), access);
  if (memory === undefined) return draft;
  const noted = { path: annotationPath(ROTATION), value: formatMemory(memory) };
  const triggered = memory.trigger === undefined ? [] : [{ path: toFieldPath, value: memory.trigger }];
  return withDocuments(draft, [[resource, desired.with([noted, ...triggered])]]);
}

function remember(before: Memory | undefined, access: Allowed | undefined): Memory | undefined {
  if (access === undefined || isTooMany(access)) return before;
  const granted = access.isForAll ? [EVERYONE] : access.namespaces.map(digest).sort();
  if (before === undefined) return { granted, trigger: undefined };
  const now = new Set(granted);
  const isLost = !access.isForAll && before.granted.some((one) => !now.has(one));
  return { granted, trigger: isLost ? digest([before.trigger ?? "", ...granted].join("/")) : before.trigger };
}

export const isTooMany = ({ isForAll, namespaces }: Allowed): boolean =>
  !isForAll && namespaces.length > MAX_REMEMBERED;

/** Stands for all namespaces: where that is taken back, everybody who is not named has lost access. */
const EVERYONE = "*";

const digest = (text: string): string => hashText(text, 20);

const formatMemory = ({ granted, trigger = "" }: Memory): string => `${granted.join(" ")}/${trigger}`;

function readMemory(text: string | undefined): Memory | undefined {
  const [granted, trigger] = text?.split("/") ?? [];
  if (granted === undefined || trigger === undefined) return undefined;
  return { granted: granted.split(" ").filter((one) => one !== ""), trigger: trigger || undefined };
}
