const DURATION = /^(?:(?<h>\d+)h)?(?:(?<m>\d+)m)?(?:(?<s>\d+)s)?(?:(?<ms>\d+)ms)?$/;
/** Node's timers wait for at most 2^31 - 1 milliseconds; a day is well below that. */
const MAX_DURATION_MS = 24 * 3_600_000;

/** Converts a Go duration, such as 25s, 1m30s or 500ms, to milliseconds; undefined for other texts, or above `max`. */
export function toMilliseconds(text: string, max = MAX_DURATION_MS): number | undefined {
  const parts = text === "" ? undefined : DURATION.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const part = (unit: string): number => Number(parts[unit] ?? 0);
  const total = part("h") * 3_600_000 + part("m") * 60_000 + part("s") * 1000 + part("ms");
  return total <= max ? total : undefined;
}
