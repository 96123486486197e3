import { type Document, objectsAt } from "./document.ts";
import type { JsonObject } from "./json.ts";
import { once } from "./once.ts";

export type ConditionTarget = "Composite" | "CompositeAndClaim";

/** A condition of the XR (and its claim). Every response returns it: Crossplane sets a missing condition to Unknown. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** PascalCase, from a closed set: it is also a label of our metrics. */
  readonly reason: string;
  readonly message?: string | undefined;
  readonly target: ConditionTarget;
}

/** An event of the XR (and its claim). A Fatal one ends the reconcile: nothing is applied or deleted. */
export interface Result {
  readonly severity: "Fatal" | "Warning" | "Normal";
  readonly message: string;
  readonly reason?: string | undefined;
  readonly target: ConditionTarget;
}

/** The longest message in bytes: Kubernetes' limit for an event. Condition messages are repeated in events. */
const MAX_MESSAGE = 1024;

/** The most characters of a text that a message quotes from another object. */
const MAX_QUOTED = 100;
/** The most characters of a provider's error that a message quotes. */
const MAX_ERROR = 300;

const ELLIPSIS = "…";

/** Cuts a message to MAX_MESSAGE bytes and replaces unprintable characters. */
export function cutMessage(text: string): string {
  const message = text.replace(UNPRINTABLE, "\ufffd");
  if (lengthWithin(message, MAX_MESSAGE) === message.length) return message;
  return message.slice(0, lengthWithin(message, MAX_MESSAGE - 3)) + ELLIPSIS; // which has 3 bytes in UTF-8
}

/** Matches control characters other than the line break, and changes of the text's direction: terminals act on them. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Counts the code units of the longest prefix that fits into `bytes` bytes of UTF-8 and splits no character. */
const lengthWithin = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;

/** Matches a word of visible ASCII characters. Unicode has many that look like a space or a semicolon. */
const WORD = /^[!-:<-~]*…?$/;

/** Shortens another object's text for a message. Other texts than words get quotes, so that they do not look like the function's own. */
export function brief(theirs: string): string {
  const text = shorten(theirs, MAX_QUOTED);
  return WORD.test(text) ? text : JSON.stringify(text);
}

export const briefError = (theirs: string): string => shorten(theirs, MAX_ERROR);

function shorten(theirs: string, most: number): string {
  const text = theirs.slice(0, 2 * most + 2).replaceAll("\n", " "); // a line break would let it look like a line of this function
  if (text.length <= most) return text;
  const characters = [...text]; // a character is one or two units
  return characters.length <= most ? text : characters.slice(0, most - 1).join("") + ELLIPSIS;
}

export const quote = (text: string): string => JSON.stringify(shorten(text, MAX_QUOTED));

export const MAX_NAMES = 10;

/** Lists the first items and counts the rest: `a, b and 3 more`. */
export function listSome<T>(items: readonly T[], max: number, format: (item: T) => string): string {
  const shown = items.slice(0, max).map(format).join(", ");
  return items.length > max ? `${shown} and ${items.length - max} more` : shown;
}

/** Makes a sentence for each of the first items, and counts the rest in a last one: `and 3 more`. */
export function sentencesForSome<T>(items: readonly T[], max: number, format: (item: T) => string): readonly string[] {
  const sentences = items.slice(0, max).map(format);
  return items.length > max ? [...sentences, `and ${items.length - max} more`] : sentences;
}

export const withMessageCut = <T extends { readonly message?: string | undefined }>(said: T): T =>
  said.message === undefined ? said : { ...said, message: cutMessage(said.message) };

/** A condition in a resource's status. Missing fields are "". */
export type ShownCondition = Readonly<Record<"status" | "reason" | "message", string>>;

export const readConditions = (resource: Document): readonly JsonObject[] =>
  objectsAt(resource, ["status", "conditions"]);

/** Indexes a resource's conditions by type. The first of each type counts. */
const conditionsByType = once((resource: Document) => {
  const byType = new Map<unknown, JsonObject>();
  for (const condition of readConditions(resource).toReversed()) byType.set(condition["type"], condition);
  return byType;
});

export const findCondition = (resource: Document, type: string): JsonObject | undefined =>
  conditionsByType(resource).get(type);

export function shownCondition(resource: Document, type: string): ShownCondition | undefined {
  const condition = findCondition(resource, type);
  if (condition === undefined) return undefined;
  const text = (key: string): string => (typeof condition[key] === "string" ? condition[key] : "");
  return { status: text("status"), reason: text("reason"), message: text("message") };
}
