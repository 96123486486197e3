/** Random values like those of a cloud, the same for the same seed. */
export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  hex(length: number): string;
  uid(): string;
  word(): string;
}

const WORDS =
  "alpha bravo canal delta ember fjord grove haven inlet juniper kelp lagoon meadow north ocean prairie".split(" ");

/** Generates values by mulberry32, which is small; they need not be hard to guess. */
export function randomOf(seed: number): Random {
  let state = seed;
  const below = (bound: number): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join("");
  return {
    below,
    hex,
    uid: () => [8, 4, 4, 4, 12].map(hex).join("-"),
    word: () => WORDS[below(WORDS.length)] ?? "",
  };
}
