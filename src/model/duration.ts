const DURATION = /^(?:(?<h>\d{1,5})h)?(?:(?<m>\d{1,5})m)?(?:(?<s>\d{1,5})s)?(?:(?<ms>\d{1,7})ms)?$/;
/** Node's timers wait for at most 2^31 - 1 milliseconds; a day is well below that. */
const MAX_DURATION_MS = 24 * 3_600_000;

/** Converts a Go duration of at most a day, such as 25s, 1m30s or 500ms, to milliseconds; undefined for any other text. */
export function toMilliseconds(text: string): number | undefined {
  const parts = text === "" ? undefined : DURATION.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const part = (unit: string): number => Number(parts[unit] ?? 0);
  const total = part("h") * 3_600_000 + part("m") * 60_000 + part("s") * 1000 + part("ms");
  return total <= MAX_DURATION_MS ? total : undefined;
}
