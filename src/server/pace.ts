/** A large request that takes longer is slow. Most take a few milliseconds, some of 1 MB take 100. */
const SLOW_MS = 50;

/** The time after a slow one in which others are expected to be slow. */
const SLOW_FOR_MS = 30_000;

/** The quick ones in a row after which the next one is expected to be quick. */
const QUICK_IN_A_ROW = 3;

/** The first ones of a process, whose code is not compiled yet, say nothing. */
const COLD = 3;

/** Remembers how long large requests took. */
export interface Pace {
  /** True if the next one is expected to be quick. False for the first ones of a process. */
  readonly isQuick: () => boolean;
  readonly note: (milliseconds: number) => void;
}

/**
 * Expects large requests to be quick after a few quick ones, and slow for some time after the second slow one: one alone may be code
 * that was not compiled yet.
 *
 * @param now the time in milliseconds
 */
export function trackPace(now: () => number = () => performance.now()): Pace {
  let cold = COLD;
  let quick = 0;
  let slowUntil = Number.NEGATIVE_INFINITY;
  const isQuick = (): boolean => quick >= QUICK_IN_A_ROW;
  const noteSlow = (): void => {
    if (!isQuick() || now() <= slowUntil) quick = 0;
    slowUntil = now() + SLOW_FOR_MS;
  };
  return {
    isQuick,
    note: (milliseconds) => {
      if (cold > 0) cold--;
      else if (milliseconds > SLOW_MS) noteSlow();
      else if (now() > slowUntil) quick++;
    },
  };
}
