/** One rule of a decision. Returns undefined for a case that it does not fit. */
export type Rule<Case, Decision> = (one: Case) => Decision | undefined;

/**
 * Makes a function that decides by the first rule that fits.
 * @param toRules returns the rules. It is a function, so that the list can stand above the functions that it names.
 */
export function decideBy<Case, Decision>(
  toRules: () => readonly Rule<Case, Decision>[],
  otherwise: (one: Case) => Decision,
): (one: Case) => Decision {
  return (one) => {
    for (const rule of toRules()) {
      const decision = rule(one);
      if (decision !== undefined) return decision;
    }
    return otherwise(one);
  };
}
