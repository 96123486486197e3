import fc from "fast-check";

/** The moves of a simulation by name, each with its weight among them. */
export type Moves<World, Parts> = Readonly<
  Record<string, readonly [weight: number, play: (world: World, parts: Parts) => unknown]>
>;

/** A move, and all that one may need: each move takes its own parts. */
export type Move<Parts> = Parts & { readonly is: string };

export type Made<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/** The parts that these arbitraries make. */
export type PartsOf<Arbitraries> = { readonly [K in keyof Arbitraries]: Made<Arbitraries[K]> };

export const anyMove = <World, Arbitraries extends object>(
  moves: Moves<World, PartsOf<Arbitraries>>,
  parts: Arbitraries,
): fc.Arbitrary<Move<PartsOf<Arbitraries>>> => {
  const names = Object.entries(moves).map(([is, [weight]]) => ({ weight, arbitrary: fc.constant(is) }));
  return fc.record({ is: fc.oneof(...names), ...parts }) as unknown as fc.Arbitrary<Move<PartsOf<Arbitraries>>>;
};

/** Repeats a turn until nothing changes any more. @returns the number of turns; undefined after `most`. */
export function settle(print: () => string, turn: () => void, most = 20): number | undefined {
  for (let turns = 1, before = print(); turns < most; turns++) {
    turn();
    const now = print();
    if (now === before) return turns;
    before = now;
  }
  return undefined;
}

export function makeMove<World, Parts>(moves: Moves<World, Parts>, world: World, move: Move<Parts>): void {
  const [, play] = moves[move.is] ?? [];
  if (play === undefined) throw new Error(`cannot find the move ${move.is}`);
  play(world, move);
}
