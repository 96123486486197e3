/** Go's quoted texts and characters (strconv.Quote), which escape all that cannot be printed. */

/** Letters, marks, numbers, punctuation, symbols and the space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export const isPrintable = (character: string): boolean => PRINTABLE.test(character);

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** @param raw puts texts without control characters between backquotes @param ascii escapes all that is not ASCII */
export function quoteString(text: string, { raw, ascii }: { readonly raw: boolean; readonly ascii: boolean }): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (raw && !/[\x00-\x08\x0a-\x1f\x7f`\ufeff]/.test(text)) return `\`${text}\``;
  return `"${Array.from(text, (character) => escapeCharacter(character, '"', ascii)).join("")}"`;
}

export const quoteRune = (rune: number, ascii: boolean): string => {
  const character = rune >= 0xd800 && rune <= 0xdfff ? "\ufffd" : String.fromCodePoint(rune);
  return `'${escapeCharacter(character, "'", ascii)}'`;
};

function escapeCharacter(character: string, quote: string, ascii: boolean): string {
  if (character === quote || character === "\\") return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  if (isPrintable(character) && !(ascii && code >= 0x80)) return character;
  const hexadecimal = code.toString(16);
  if (code < 0x20 || code === 0x7f) return ESCAPES[character] ?? `\\x${hexadecimal.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hexadecimal.padStart(4, "0")}` : `\\U${hexadecimal.padStart(8, "0")}`;
}
