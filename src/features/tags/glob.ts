/** Tells whether a text matches a glob, in which `*` is any text and `?` any character. */
export const fits = (text: string, glob: string): boolean => toMatcher(glob)(text);

/**
 * Compiles a glob once, to match many texts.
 *
 * Searches the parts between the stars from left to right, each after the one before it: the first match of a part is as good as any
 * other. So a text is walked once, however many stars there are. A part with `?` takes a step per character and 32 characters of its
 * own; globs have at most 256 (`input/tags.ts`).
 */
export function toMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text.length === glob.length && isAt(text, glob, 0);
  const middle = rest.map((part) => ({ find: toFinder(part), length: part.length }));
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !isAt(text, first, 0) || !isAt(text, last, end)) return false;
    let at = first.length;
    for (const { find, length } of middle) {
      const found = find(text, at);
      if (found === -1 || found + length > end) return false;
      at = found + length;
    }
    return true;
  };
}

/** Finds a part in a text from an index on; -1 for no match. */
type Finder = (text: string, from: number) => number;

const WORD = 32;

/** The longest text that is matched with `?`. No cloud has longer tag keys: Azure, with the longest, takes 512 characters. */
const MAX_TEXT = 512;

/**
 * Finds by Shift-And (Baeza-Yates and Gonnet, 1992): bit i says that the last characters match the first i + 1 of the part. Trying the
 * part at each index would take 256 times as long for a text such as `aaa…`.
 */
function toFinder(part: string): Finder {
  if (!part.includes("?")) return (text, from) => text.indexOf(part, from);
  const runs = part.split("?");
  const fitting = toFitting(part);
  const other = fitting("?");
  const masks = new Map([...new Set(part.split(""))].map((unit) => [unit.charCodeAt(0), fitting(unit)]));
  const end = 1 << ((part.length - 1) % WORD);
  return (text, from) => {
    if (text.length > MAX_TEXT || runs.some((run) => !text.includes(run, from))) return -1;
    const state = new Int32Array(other.length);
    for (let at = from; at < text.length; at++) {
      shift(state, masks.get(text.charCodeAt(at)) ?? other);
      if (((state[state.length - 1] as number) & end) !== 0) return at + 1 - part.length;
    }
    return -1;
  };
}

/** Makes the mask of a part's positions that match a code unit. */
const toFitting = (part: string) => (unit: string) => {
  const mask = new Int32Array(Math.ceil(part.length / WORD));
  for (let i = 0; i < part.length; i++) {
    const word = Math.floor(i / WORD);
    if (part[i] === "?" || part[i] === unit) mask[word] = (mask[word] as number) | (1 << (i % WORD));
  }
  return mask;
};

/** Shifts all bits up by one, across words, and applies the mask. */
function shift(state: Int32Array, mask: Int32Array): void {
  let carry = 1;
  for (let word = 0; word < state.length; word++) {
    const before = state[word] as number;
    state[word] = ((before << 1) | carry) & (mask[word] as number);
    carry = before >>> (WORD - 1);
  }
}

function isAt(text: string, part: string, at: number): boolean {
  if (!part.includes("?")) return text.startsWith(part, at);
  for (let i = 0; i < part.length; i++) if (part[i] !== "?" && part[i] !== text[at + i]) return false;
  return true;
}
