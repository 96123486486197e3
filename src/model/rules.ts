import { lazy } from "./once.ts";

/** One line of a decision: decides a case that it fits, and no other. */
export type Rule<Case, Decision> = (one: Case) => Decision | undefined;

/** Makes a rule of what the case is, and what is decided then. */
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
 * Makes a decision of a list of rules, of which the first that fits decides.
 *
 * @param toRules called once, at the first decision: the list stands above what it names.
 */
export function decideBy<Case, Decision>(
  toRules: () => readonly Rule<Case, Decision>[],
  otherwise: (one: Case) => Decision,
): (one: Case) => Decision {
  const rules = lazy(toRules);
  return (one) => {
    for (const rule of rules()) {
      const decision = rule(one);
      if (decision !== undefined) return decision;
    }
    return otherwise(one);
  };
}
