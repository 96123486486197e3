import type { Document } from "./document.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import { once } from "./once.ts";

/** The objects that show a condition or an event. */
export type Target = "Composite" | "CompositeAndClaim";

/** A condition of the XR (and its claim). Crossplane makes one that is not returned Unknown, so it is on every response. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** PascalCase, from a closed set: it is also a label of our metrics. */
  readonly reason: string;
  readonly message?: string | undefined;
  readonly target: Target;
}

/** An event of the XR (and its claim), or, when Fatal, the end of this reconcile: nothing is applied or deleted. */
export interface Result {
  readonly severity: "Fatal" | "Warning" | "Normal";
  readonly message: string;
  readonly reason?: string | undefined;
  readonly target: Target;
}

/** The length of a message in bytes, which is what Kubernetes takes of an event's; a condition's is repeated in one. */
const MAX_MESSAGE = 1024;

/** The length of somebody else's text in a message, in characters. */
const MAX_QUOTED = 100;

const ELLIPSIS = "…";

/** The most bytes of UTF-8 that one unit of a text takes. */
const MOST_BYTES = 3;

/** Cuts a message to the length that a condition, an event or a Fatal result may have, at the end of a character. */
export function cutMessage(text: string): string {
  const message = toPrintable(text);
  const isShort = message.length * MOST_BYTES <= MAX_MESSAGE;
  if (isShort || lengthWithin(message, MAX_MESSAGE) === message.length) return message;
  return message.slice(0, lengthWithin(message, MAX_MESSAGE - 3)) + ELLIPSIS;
}

/** Control characters but the line break, and those that change the direction of a text: terminals act on them. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const toPrintable = (text: string): string => text.replace(UNPRINTABLE, "\ufffd");

/** The length of the text's beginning that takes no more than that many bytes of UTF-8, to the end of a character. */
const lengthWithin = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;

/**
 * Cuts a name, label, annotation or message of somebody else's that a message repeats: whoever writes a long one must not fill
 * the conditions of others.
 */
export function brief(theirs: string): string {
  const text = theirs.slice(0, 2 * MAX_QUOTED + 2).replaceAll("\n", " "); // a line of theirs must not look like one of ours
  if (text.length <= MAX_QUOTED) return text;
  const characters = [...text]; // a character is one or two units
  return characters.length <= MAX_QUOTED ? text : characters.slice(0, MAX_QUOTED - 1).join("") + ELLIPSIS;
}

/** Quotes somebody else's text, cut. */
export const quote = (text: string): string => JSON.stringify(brief(text));

/** Lists the first items, and how many more there are: `a, b and 3 more`. */
export function listSome<T>(items: readonly T[], max: number, format: (item: T) => string): string {
  const shown = items.slice(0, max).map(format).join(", ");
  return items.length > max ? `${shown} and ${items.length - max} more` : shown;
}

/** Makes a sentence for each of the first items, and a last one for how many more there are: `and 3 more`. */
export function sentencesForSome<T>(
  items: readonly T[],
  max: number,
  toSentence: (item: T) => string,
): readonly string[] {
  const sentences = items.slice(0, max).map(toSentence);
  return items.length > max ? [...sentences, `and ${items.length - max} more`] : sentences;
}

/** The condition or result, with its message cut and printable. */
export const withMessageCut = <T extends { readonly message?: string | undefined }>(said: T): T =>
  said.message === undefined ? said : { ...said, message: cutMessage(said.message) };

/** A condition as a resource shows it; a field that is not a string reads as "". */
export interface ShownCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The entries of the resource's `status.conditions`. */
export function readConditions(resource: Document): readonly JsonObject[] {
  const conditions = resource.at(["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

/** The first of each type. */
const conditionsByType = once((resource: Document) => {
  const byType = new Map<JsonValue | undefined, JsonObject>();
  for (const condition of readConditions(resource)) {
    if (!byType.has(condition["type"])) byType.set(condition["type"], condition);
  }
  return byType;
});

/** The condition of that type in the resource's `status.conditions`. */
export function shownCondition(resource: Document, type: string): ShownCondition | undefined {
  const condition = conditionsByType(resource).get(type);
  if (condition === undefined) return undefined;
  const text = (key: string): string => (typeof condition[key] === "string" ? condition[key] : "");
  return { status: text("status"), reason: text("reason"), message: text("message") };
}
