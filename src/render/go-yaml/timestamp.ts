const date = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?<rest>.*)$/;
const time =
  /^(?:[Tt](?<utc>\d{1,2}:\d{1,2}:\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (?<local>\d{1,2}:\d{1,2}:\d{1,2})(?:[.,]\d+)?)?$/;

/**
 * Whether go-yaml takes a plain scalar for a timestamp: `2006-1-2`, `2006-1-2 15:4:5.9` or `2006-1-2T15:4:5Z`, and a day
 * and time that exist.
 *
 * Source: go.yaml.in/yaml/v2, resolve.go parseTimestamp.
 */
export function isTimestamp(text: string): boolean {
  const { year, month, day, rest = "" } = date.exec(text)?.groups ?? {};
  const clock = time.exec(rest);
  if (year === undefined || clock === null) return false;
  return isDay(Number(year), Number(month), Number(day)) && isTime(clock.groups?.["utc"] ?? clock.groups?.["local"]);
}

function isDay(year: number, month: number, day: number): boolean {
  const when = new Date(0);
  when.setUTCFullYear(year, month - 1, day);
  return when.getUTCMonth() === month - 1 && when.getUTCDate() === day;
}

function isTime(clock = "0:0:0"): boolean {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(":").map(Number);
  return hours < 24 && minutes < 60 && seconds < 60;
}
