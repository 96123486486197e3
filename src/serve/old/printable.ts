/** Control characters, format characters such as those that turn the direction of writing, and Unicode's line and paragraph separators. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Keeps a text that somebody else wrote on one line, and from steering the terminal: names and annotations may hold line breaks and
 * escape sequences. It is escaped as in JSON, so that JSON without line breaks still says the same.
 */
export const toPrintable = (text: string): string =>
  text.replace(HIDDEN, (character) => character.split("").map(escapeUnit).join(""));

/** Does the same for each line of a text. */
export const toPrintableLines = (text: string): string => text.split("\n").map(toPrintable).join("\n");
