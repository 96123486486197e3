import type { Directive } from "../../../input/format.ts";

/** The style in which one value is printed: the flags of a directive, and those that %v makes of them. */
export interface Style {
  readonly flags: ReadonlySet<string>;
  readonly isGoSyntax: boolean;
  readonly width: number;
  readonly precision: number | undefined;
}

export const PLAIN: Style = { flags: new Set(), isGoSyntax: false, width: 0, precision: undefined };

/** Under %v, # and + mean something else. */
export function toStyle({ flags, width = 0, precision, verb }: Directive): Style {
  const isValue = verb === "v" || verb === "w";
  return {
    flags: isValue ? new Set([...flags].filter((flag) => flag !== "#" && flag !== "+")) : flags,
    isGoSyntax: isValue && flags.has("#"),
    width,
    precision,
  };
}

/** The style of what has its zeros already, or takes none. */
export const withoutZero = (style: Style): Style => ({
  ...style,
  flags: new Set([...style.flags].filter((flag) => flag !== "0")),
});

/** Zeros go between a sign and its number, and never on the right. */
export const isZeroPadded = ({ flags }: Style): boolean => flags.has("0") && !flags.has("-");

/** Cuts a text to the precision, in characters. */
export const truncate = (text: string, { precision }: Style): string =>
  precision === undefined || text.length <= precision ? text : [...text].slice(0, precision).join("");

/** Fills a text up to the width, in characters: on the left, or with the flag - on the right. */
export function pad(text: string, { flags, width }: Style): string {
  if (width === 0) return text;
  const missing = Math.max(width - [...text].length, 0);
  if (flags.has("-")) return text + " ".repeat(missing);
  return (flags.has("0") ? "0" : " ").repeat(missing) + text;
}
