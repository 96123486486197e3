/** Tells whether a text fits a glob, in which `*` is any text and `?` any character. */
export const fits = (text: string, glob: string): boolean => toMatcher(glob)(text);

/**
 * Splits a glob once, to match many texts.
 *
 * The texts between the stars are looked for from left to right, each where the last one ended, and never again further
 * left: the first place is as good as any. So a text is walked through once, however many stars there are. A part with `?`
 * takes a few steps at each character, one for each 32 of its own; globs have at most 256 (`input/tags.ts`).
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

/** Finds a part from a place on; -1 if it is not there. */
type Finder = (text: string, from: number) => number;

const WORD = 32;

/** Of longer texts none fits a part with `?`. No cloud has longer keys of tags: Azure, with the longest, takes 512 characters. */
const MAX_TEXT = 512;

/**
 * Shift-And (Baeza-Yates and Gonnet, 1992): bit i says that the last characters are the first i + 1 of the part. Trying the part at
 * each place would take 256 times as long for a text such as `aaa…`.
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

/** Makes masks of a part's places at which a unit fits, a bit each. */
const toFitting = (part: string) => (unit: string) => {
  const mask = new Int32Array(Math.ceil(part.length / WORD));
  for (let i = 0; i < part.length; i++) {
    const word = Math.floor(i / WORD);
    if (part[i] === "?" || part[i] === unit) mask[word] = (mask[word] as number) | (1 << (i % WORD));
  }
  return mask;
};

/** Moves all bits one up, into the next word as well, and keeps those of the mask. */
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
