import type { Grantee } from "../../crossplane/grants.ts";
import { annotationPath, readAnnotation } from "../../crossplane/metadata.ts";
import type { Consumers } from "../../input/consumers.ts";
import type { Draft } from "../../model/draft.ts";
import { hashText } from "../../model/hash.ts";
import { ROTATION } from "../../ownership/annotations.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { recallNames } from "../record-names.ts";
import type { Part } from "./consumers-condition.ts";
import type { Access, OwnerFacts } from "./owner-facts.ts";

/** The most namespaces that are remembered: all annotations of an object take 256 KB (TotalAnnotationSizeLimitB). */
const MAX_REMEMBERED = 10_000;

/**
 * Sets the field to a value that changes once when a namespace loses access. A grant that is added changes nothing, and neither
 * does the first look: who has access is remembered on the resource and in the record of names, and only what is missing from that since
 * counts. Field and memory stay as they are while it is not known who has access, and for more namespaces than can be remembered.
 */
export function rotate({ rotation }: Consumers, { access, grantees }: OwnerFacts, draft: Draft, call: Call): Part {
  if (rotation === undefined) return { edits: [], reasons: [] };
  const { resource, toFieldPath } = rotation;
  const namespaces = access && grantees && listNamespaces(access, grantees);
  const isTooMany = namespaces !== undefined && namespaces.length > MAX_REMEMBERED;
  const reasons = isTooMany ? ([{ is: "TooManyToRotate", most: MAX_REMEMBERED }] as const) : [];
  const before = recall(resource, call);
  const memory = namespaces === undefined || isTooMany ? before : remember(namespaces, before);
  const desired = desiredSoFar(call, draft).get(resource);
  if (desired === undefined || memory === undefined) return { edits: [], reasons };
  const [, trigger = ""] = memory.split("/");
  const triggered = trigger === "" ? [] : [{ path: toFieldPath, value: trigger }];
  const object = desired.with([{ path: annotationPath(ROTATION), value: memory }, ...triggered]);
  return { edits: [[resource, { is: "set", object }]], reasons };
}

/** Stands for all namespaces: where that is taken back, everybody who is not named has lost access. */
const EVERYONE = "*";

const listNamespaces = ({ names, isForAll }: Access, grantees: readonly Grantee[]): readonly string[] =>
  isForAll ? [EVERYONE] : [...new Set([...names, ...grantees.map(({ namespace }) => namespace)])];

/** Recalls who had access, and after a slash the value of the field: empty before anybody lost access. */
function recall(resource: string, call: Call): string | undefined {
  const observed = call.request.observed.resources.get(resource)?.document;
  const noticed = observed && readAnnotation(observed, ROTATION);
  const memory = noticed ?? recallNames(call).names.get(resource)?.rotation;
  return memory?.includes("/") ? memory : undefined;
}

/** Remembers who has access, by hashes of the namespaces' names: a thousand names would fill the annotation. */
function remember(namespaces: readonly string[], memory: string | undefined): string {
  const granted = namespaces.map((name) => (name === EVERYONE ? name : digest(name))).sort();
  const [before = "", trigger = ""] = memory?.split("/") ?? [];
  const now = new Set(["", ...granted]);
  const isLost = !now.has(EVERYONE) && before.split(" ").some((one) => !now.has(one));
  return `${granted.join(" ")}/${isLost ? digest([trigger, ...granted].join("/")) : trigger}`;
}

const digest = (text: string): string => hashText(text, 20);
