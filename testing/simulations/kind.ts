import fc from "fast-check";

/** The field `is` of an event: one of these kinds. */
export const is = <const T extends string>(...kinds: readonly [T, ...T[]]) => ({ is: fc.constantFrom<T[]>(...kinds) });
