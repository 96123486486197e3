/** Suggests the closest known word, `; did you mean registry?`, if at most a third of its letters differ; else "". */
export function didYouMean(word: string, known: readonly string[]): string {
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - word.length) <= limitFor(candidate))
    .map((candidate) => ({ candidate, distance: countEdits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= limitFor(candidate))
    .sort((a, b) => a.distance - b.distance);
  return best === undefined ? "" : `; did you mean ${best.candidate}?`;
}

const limitFor = (candidate: string): number => Math.max(1, Math.floor(candidate.replace(/^-+/, "").length / 3));

/** Counts the edits between two words: their Damerau–Levenshtein distance (optimal string alignment). */
function countEdits(a: string, b: string): number {
  let [beforeLast, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, i) => i),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = cellAt(last, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? cellAt(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, cellAt(last, j) + 1, cellAt(row, j - 1) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return cellAt(last, b.length);
}

const cellAt = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
