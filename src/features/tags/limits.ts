import type { Cloud } from "../../crossplane/providers/families.ts";
import type { TagMap } from "./tag-map.ts";

interface TagLimits {
  readonly count?: number;
  /** The number of tags that the provider itself sets. */
  readonly providers?: number;
  readonly key: { readonly length?: number; readonly pattern?: RegExp; readonly text?: string };
  readonly value: { readonly length?: number; readonly pattern?: RegExp; readonly text?: string };
  /** The prefix of keys that only the cloud may set. */
  readonly reserved?: RegExp;
}

const KUBERNETES_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const KUBERNETES_PREFIX = "(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?";

/**
 * Sources: docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html,
 * learn.microsoft.com/azure/azure-resource-manager/management/tag-resources, cloud.google.com/resource-manager/docs/
 * labels-overview, kubernetes.io/docs/concepts/overview/working-with-objects/labels.
 */
const LIMITS: Readonly<Record<Cloud, TagLimits>> = {
  AWS: { count: 50, providers: 3, key: { length: 128 }, value: { length: 256 }, reserved: /^aws:/i },
  Azure: {
    count: 50,
    key: { length: 512, pattern: /^[^<>%&\\?/]*$/, text: "no <, >, %, &, \\, ? and /" },
    value: { length: 256 },
    reserved: /^(?:microsoft|azure|windows)/i,
  },
  GCP: {
    count: 64,
    key: {
      length: 63,
      pattern: /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]*$/u,
      text: "lower case letters, digits, _ and -, a letter first",
    },
    value: { length: 63, pattern: /^[\p{Ll}\p{Lo}\p{N}_-]*$/u, text: "lower case letters, digits, _ and -" },
    reserved: /^goog(?:le)?[-_]/,
  },
  Kubernetes: {
    key: {
      pattern: new RegExp(`^${KUBERNETES_PREFIX}${KUBERNETES_NAME.source.slice(1)}`),
      text: "a label's key: letters, digits, '-', '_' and '.', at most 63, after a DNS name and '/' if any",
    },
    value: { pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/, text: "a label's value: at most 63" },
  },
};

/** The tags that Crossplane's upjet providers set themselves, which this function neither sets nor removes. */
export const PROVIDERS_OWN: ReadonlySet<string> = new Set([
  "crossplane-kind",
  "crossplane-name",
  "crossplane-providerconfig",
]);

/** A tag that the cloud would refuse; the key is undefined for a fault of all tags together. */
export interface TagFault {
  readonly key: string | undefined;
  readonly message: string;
}

/**
 * Finds every fault of the tags.
 *
 * @param ours the keys that this step sets, sorted. Tags with a key of the cloud's own may exist, but must not be set.
 */
export function checkTags(tags: TagMap, ours: readonly string[], cloud: Cloud): readonly TagFault[] {
  const limits = LIMITS[cloud];
  const faults: TagFault[] = [...checkCount(tags, limits, cloud)];
  for (const key of ours) {
    const value = tags.get(key);
    if (value === undefined) continue;
    for (const message of checkKey(key, limits, cloud)) faults.push({ key, message });
    for (const message of checkText(value, limits.value, "value", cloud)) faults.push({ key, message });
  }
  return faults;
}

function checkCount(tags: TagMap, { count, providers = 0, reserved }: TagLimits, cloud: Cloud): readonly TagFault[] {
  if (count === undefined || tags.size <= count - providers) return [];
  const counted = [...tags.keys()].filter((key) => !reserved?.test(key) && !PROVIDERS_OWN.has(key)).length;
  if (counted <= count - providers) return [];
  const rest = providers === 0 ? "" : `, and the provider adds ${providers}`;
  return [{ key: undefined, message: `${counted} tags; ${cloud} takes at most ${count}${rest}` }];
}

function checkKey(key: string, { key: limit, reserved }: TagLimits, cloud: Cloud): readonly string[] {
  const taken = reserved?.exec(key)?.[0];
  if (taken !== undefined) return [`keys that start with ${taken} are ${cloud}'s own`];
  return checkText(key, limit, "key", cloud);
}

function checkText(text: string, limit: TagLimits["key"], what: "key" | "value", cloud: Cloud): readonly string[] {
  const { length } = limit;
  // A character is one or two code units. A text of more than twice the limit is not read: it may be very long, on many resources.
  if (length !== undefined && text.length > 2 * length)
    return [`a ${what} of more than ${length} characters, the most that ${cloud} takes`];

  const faults: string[] = [];
  const count = length !== undefined && text.length > length ? [...text].length : 0;
  if (length !== undefined && count > length) {
    faults.push(`a ${what} of ${count} characters; ${cloud} takes at most ${length}`);
  }
  if (limit.pattern?.test(text) === false) {
    faults.push(`a ${what} that ${cloud} does not take: ${JSON.stringify(text.slice(0, 80))}; allowed: ${limit.text}`);
  }
  return faults;
}
