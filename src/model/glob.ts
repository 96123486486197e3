/** Tells whether a text matches a glob, in which `*` is any text. */
export const fits = (text: string, glob: string): boolean => toMatcher(glob)(text);

/**
 * Makes a function that matches texts with a glob. It searches the parts between the stars from left to right, in one
 * walk over the text. A regular expression would try every split.
 */
export function toMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...middle] = glob.split("*");
  const last = middle.pop();
  if (last === undefined) return (text) => text === glob;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
