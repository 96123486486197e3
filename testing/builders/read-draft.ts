import type { Draft } from "../../src/model/draft.ts";

// What tests read of a draft.

/** The reason and the message of the first condition. */
export const says = ({ conditions: [condition] }: Draft): string => `${condition?.reason}: ${condition?.message}`;

/** The reason of the first condition. */
export const reasonIn = ({ conditions: [condition] }: Draft): string | undefined => condition?.reason;

/** The messages of Fatal results. */
export const fatalsIn = ({ results }: Draft): readonly string[] =>
  results.flatMap(({ severity, message }) => (severity === "Fatal" ? [message] : []));
