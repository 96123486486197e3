import type { Cloud } from "../../crossplane/providers/families.ts";
import { brief } from "../../model/condition.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { LABEL_KEY, LABEL_VALUE } from "../../model/names.ts";
import type { Subject } from "./subject.ts";
import type { TagMap } from "./tag-map.ts";

interface TextLimit {
  /** The most characters. */
  readonly length?: number;
  readonly pattern?: RegExp;
  /** Describes the pattern. */
  readonly allowed?: string;
}

interface TagLimits {
  /** The most tags of one resource. */
  readonly count?: number;
  /** The number of tags that the provider itself sets. */
  readonly providers?: number;
  readonly key: TextLimit;
  readonly value: TextLimit;
  /** The prefix of keys that only the cloud may set. */
  readonly reserved?: RegExp;
}

/**
 * The clouds' limits. Sources: docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html,
 * learn.microsoft.com/azure/azure-resource-manager/management/tag-resources, cloud.google.com/resource-manager/docs/
 * labels-overview, kubernetes.io/docs/concepts/overview/working-with-objects/labels.
 */
const LIMITS: Readonly<Record<Cloud, TagLimits>> = {
  AWS: { count: 50, providers: 3, key: { length: 128 }, value: { length: 256 }, reserved: /^aws:/i },
  Azure: {
    count: 50,
    key: { length: 512, pattern: /^[^<>%&\\?/]*$/, allowed: "no <, >, %, &, \\, ? and /" },
    value: { length: 256 },
    reserved: /^(?:microsoft|azure|windows)/i,
  },
  GCP: {
    count: 64,
    key: {
      length: 63,
      pattern: /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]*$/u,
      allowed: "lower case letters, digits, _ and -, a letter first",
    },
    value: { length: 63, pattern: /^[\p{Ll}\p{Lo}\p{N}_-]*$/u, allowed: "lower case letters, digits, _ and -" },
    reserved: /^goog(?:le)?[-_]/,
  },
  Kubernetes: {
    key: {
      pattern: LABEL_KEY,
      allowed: "letters, digits, '-', '_' and '.', at most 63 characters, after a DNS name and '/' if any",
    },
    value: { pattern: LABEL_VALUE, allowed: "letters, digits, '-', '_' and '.', at most 63 characters" },
  },
};

/** The keys of the tags that upjet's providers set. This function neither adds nor removes these tags. */
export const PROVIDERS_OWN: ReadonlySet<string> = new Set([
  "crossplane-kind",
  "crossplane-name",
  "crossplane-providerconfig",
]);

export interface Refusal {
  /** The refused key; undefined for a fault of all tags together. */
  readonly key: string | undefined;
  readonly message: string;
}

/** The most tags that are set on one resource (most clouds take 50), and in one response. */
const MAX_TAGS_OF_ONE = 500;
const MAX_TAGS = 50_000;

/** Refuses too many tags: each is set on every resource. */
export function findExcess(tags: number, resources: number): readonly Refusal[] {
  if (tags <= MAX_TAGS_OF_ONE && tags * resources <= MAX_TAGS) return [];
  const most = `the limits are ${MAX_TAGS_OF_ONE} on one resource and ${MAX_TAGS} in all, so no tag is added`;
  return [{ key: undefined, message: `all resources: tags: ${tags} on each of ${resources} resources; ${most}` }];
}

/**
 * Finds every fault of a resource's tags.
 *
 * @param keys the keys that this step adds, sorted. Other tags may be the cloud's own: only their number is checked.
 */
export function checkTags(tags: TagMap, keys: readonly string[], subject: Subject): readonly Refusal[] {
  const { resource, tags: found, cloud } = subject;
  if (cloud === undefined || found === undefined) return [];
  const limits = LIMITS[cloud];
  const refuse = (fault: string, key?: string): Refusal => {
    const path = key === undefined ? found.path : [...found.path, brief(key)];
    return { key, message: `${brief(resource)}: ${formatFieldPath(path)}: ${fault}` };
  };
  const refusals = checkCount(tags, limits, cloud).map((fault) => refuse(fault));
  for (const key of keys) {
    const value = tags.get(key);
    if (value === undefined) continue;
    const faults = [...checkKey(key, limits, cloud), ...checkText(value, limits.value, "value", cloud)];
    refusals.push(...faults.map((fault) => refuse(fault, key)));
  }
  return refusals;
}

function checkCount(tags: TagMap, { count, providers = 0, reserved }: TagLimits, cloud: Cloud): readonly string[] {
  if (count === undefined || tags.size <= count - providers) return [];
  const counted = [...tags.keys()].filter((key) => !reserved?.test(key) && !PROVIDERS_OWN.has(key)).length;
  if (counted <= count - providers) return [];
  const rest = providers === 0 ? "" : `, and the provider adds ${providers}`;
  return [`${counted} tags; ${cloud} takes at most ${count}${rest}`];
}

function checkKey(key: string, { key: limit, reserved }: TagLimits, cloud: Cloud): readonly string[] {
  const taken = reserved?.exec(key)?.[0];
  if (taken !== undefined) return [`keys that start with ${taken} are ${cloud}'s own`];
  return checkText(key, limit, "key", cloud);
}

function checkText(
  text: string,
  { length = Number.POSITIVE_INFINITY, pattern, allowed }: TextLimit,
  what: "key" | "value",
  cloud: Cloud,
): readonly string[] {
  // A character is one or two code units. The characters of a very long text are not counted: each of many resources may have the text.
  if (text.length > 2 * length) return [`a ${what} of more than ${length} characters, the most that ${cloud} takes`];
  const count = text.length > length ? [...text].length : 0;
  const faults = count > length ? [`a ${what} of ${count} characters; ${cloud} takes at most ${length}`] : [];
  if (pattern?.test(text) !== false) return faults;
  const shown = JSON.stringify(text.slice(0, 80));
  return [...faults, `a ${what} that ${cloud} does not take: ${shown}; allowed: ${allowed}`];
}
