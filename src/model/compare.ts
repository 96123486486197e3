/** Sorts texts by their UTF-16 code units, in which no locale has a say. */
export const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Sorts the entries of a map or an object by their keys. */
export const compareEntries = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  compareTexts(a[0], b[0]);
