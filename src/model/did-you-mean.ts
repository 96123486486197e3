/** Suggests the closest known word: `; did you mean registry?`; "" if more than a third of its letters differ. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - word.length) <= limitFor(candidate))
    .map((candidate) => ({ candidate, distance: countEdits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= limitFor(candidate))
    .sort((a, b) => a.distance - b.distance);
  return best === undefined ? "" : `; did you mean ${best.candidate}?`;
}

/** Counts the edits that may separate a word from a candidate: a third of its letters, without the dashes of a flag. */
const limitFor = (candidate: string): number => Math.max(1, Math.floor(candidate.replace(/^-+/, "").length / 3));

/** Counts the edits between two words: their Damerau–Levenshtein distance (optimal string alignment). */
function countEdits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, cell(i - 1, j) + 1, cell(i, j - 1) + 1));
    }
  }
  return cell(a.length, b.length);
}
