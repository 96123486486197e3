import { expect, test } from "vitest";
import { toPrintable } from "../../cli/text.ts";

test.each([
  { what: "a name", text: "Bucket.s3.aws.upbound.io/team-a/orders", printed: "Bucket.s3.aws.upbound.io/team-a/orders" },
  { what: "a text in any script", text: 'Größe \\ 100 % "大" 😀', printed: 'Größe \\ 100 % "大" 😀' },
  { what: "line breaks and a tab", text: "a\r\nb\tc", printed: "a\\u000d\\u000ab\\u0009c" },
  { what: "a terminal's escape sequence", text: "\u001b]0;x\u0007", printed: "\\u001b]0;x\\u0007" },
  { what: "one that begins with a C1 character", text: "\u009b2J\u007f", printed: "\\u009b2J\\u007f" },
  { what: "Unicode's line breaks", text: "a\u2028b\u2029c\u0085", printed: "a\\u2028b\\u2029c\\u0085" },
  { what: "a change of direction", text: "\u202eevil\u2066\u200f", printed: "\\u202eevil\\u2066\\u200f" },
  { what: "a character beyond 16 bits that nobody sees", text: "\u{e0001}", printed: "\\udb40\\udc01" },
])("$what is printed as $printed", ({ text, printed }) => {
  expect(toPrintable(text)).toBe(printed);
});

test("JSON that is printed says the same", () => {
  const value = { name: "a\n\u001b\u009b\u202e\u{e0001}\\" };
  expect(JSON.parse(toPrintable(JSON.stringify(value)))).toEqual(value);
});
