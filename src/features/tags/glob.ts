/** Tells whether a text fits a glob, in which `*` is any text and `?` any character. */
export const fits = (text: string, glob: string): boolean => toMatcher(glob)(text);

/**
 * Splits a glob once, to match many texts.
 *
 * The texts between the stars are looked for from left to right, each where the last one ended, and never again further
 * left: the first place is as good as any. So a text is walked through once, however many stars there are; a part with
 * `?` costs its length at each character, and globs have at most 256 (`input/tags.ts`).
 */
export function toMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...middle] = glob.split("*");
  const last = middle.pop();
  if (last === undefined) return (text) => text.length === glob.length && isAt(text, glob, 0);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !isAt(text, first, 0) || !isAt(text, last, end)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = findPart(text, part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

function findPart(text: string, part: string, from: number): number {
  if (!part.includes("?")) return text.indexOf(part, from);
  for (let at = from; at + part.length <= text.length; at++) if (isAt(text, part, at)) return at;
  return -1;
}

function isAt(text: string, part: string, at: number): boolean {
  if (!part.includes("?")) return text.startsWith(part, at);
  for (let i = 0; i < part.length; i++) if (part[i] !== "?" && part[i] !== text[at + i]) return false;
  return true;
}
