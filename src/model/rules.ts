/** One rule of a decision. Returns undefined for a case that it does not fit. */
export type Rule<Case, Decision> = (one: Case) => Decision | undefined;

export function when<Case, Fit extends Case, Decision>(
  fits: (one: Case) => one is Fit,
  decide: (one: Fit) => Decision,
): Rule<Case, Decision>;
export function when<Case, Decision>(
  fits: (one: Case) => boolean,
  decide: (one: Case) => Decision,
): Rule<Case, Decision>;
export function when<Case, Decision>(
  fits: (one: Case) => boolean,
  decide: (one: Case) => Decision,
): Rule<Case, Decision> {
  return (one) => (fits(one) ? decide(one) : undefined);
}

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
