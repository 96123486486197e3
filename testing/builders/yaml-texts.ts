import fc from "fast-check";

// Texts with what YAML makes something else of: line breaks of YAML 1.1 and 1.2, separators of documents, what does not print, indicators.

const PIECES = [
  ...["\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\n---\n", "\n--- b", "\n...\n", "\u007f", "\u0000", "\u0080"],
  ...[": ", " #", "- ", "kind:", ..."a \t'\"\\%@\u00e9\ufeff\ufffe\u200e\u{1f600}\u{e0001}"],
];

const anyText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme", maxLength: 30 }),
);

const content = fc.oneof(anyText, fc.array(anyText, { maxLength: 3 }));
/** An object of texts, by any text. */
export const anyDocument = fc.dictionary(anyText, content, { maxKeys: 5, noNullPrototype: true });
