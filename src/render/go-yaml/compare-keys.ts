/**
 * go-yaml's order of an object's keys: letters after everything else, and runs of digits by their number, so that `a2`
 * precedes `a10`.
 *
 * Source: go.yaml.in/yaml/v2, sorter.go.
 */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((char, index) => char !== right[index]);
  const [l, r] = [left[at], right[at]];
  if (l === undefined || r === undefined) return left.length - right.length;
  if (isLetter(l) !== isLetter(r)) return isLetter(l) ? 1 : -1;
  return (isLetter(l) ? 0 : compareDigits(left, right, at)) || (l < r ? -1 : 1);
}

const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);
const isDigit = (char: string | undefined): boolean => char !== undefined && /^\d$/.test(char);

/** Compares the numbers that begin at the first difference; 0 where they are equal. */
function compareDigits(left: readonly string[], right: readonly string[], at: number): number {
  const hasZero = left[at] === "0" || right[at] === "0";
  const lead = hasZero && followsNonZeroDigit(left, at) ? "1" : "";
  const [l, r] = [digitsFrom(left, at), digitsFrom(right, at)];
  return Number(lead + l) - Number(lead + r) || l.length - r.length;
}

/** Where a number has begun before the difference, a zero in it is no leading zero: `a10` follows `a1` and not `a2`. */
function followsNonZeroDigit(chars: readonly string[], at: number): boolean {
  for (let index = at - 1; isDigit(chars[index]); index--) {
    if (chars[index] !== "0") return true;
  }
  return false;
}

function digitsFrom(chars: readonly string[], at: number): string {
  const end = chars.findIndex((char, index) => index >= at && !isDigit(char));
  return chars.slice(at, end < 0 ? undefined : end).join("");
}
