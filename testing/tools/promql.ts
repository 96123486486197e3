/** Words that are no metrics, although they may stand alone in an expression. */
const WORDS = new Set(["and", "or", "unless", "bool", "offset", "inf", "nan", "atan2"]);

/** The names of metrics in a PromQL expression, without those of functions, labels and durations. */
export function metricsIn(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, " ")
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ");
  const names = [...bare.matchAll(/(?<![\w.:$])[a-zA-Z_:][\w:]*(?!\s*\()\b(?!\s*\()/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !WORDS.has(name)))].sort();
}
