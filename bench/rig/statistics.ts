/** A quantity that was measured several times. */
export interface Measured {
  readonly median: number;
  /** The tenth and the ninetieth percentile. */
  readonly p10: number;
  readonly p90: number;
}

export function summarise(samples: readonly number[]): Measured {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (quantile: number): number => sorted[Math.round(quantile * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) };
}

/** The exponent b of y = a·x^b that fits best: 1 is linear. Least squares in logarithms. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
