import { expect, test } from "vitest";
import { parseTemplate } from "../../src/model/template.ts";

const key = (name: string, isEncoded = false) => ({ key: name, isEncoded });
const field = (path: readonly (string | number)[], isEncoded = false) => ({ field: path, isEncoded });

test.each([
  { text: "", template: [] },
  { text: "plain", template: ["plain"] },
  { text: "{a}", template: [key("a")] },
  { text: "x{a.b-c_1}{b|url}y", template: ["x", key("a.b-c_1"), key("b", true), "y"] },
  { text: "{{{a}}}", template: ["{", key("a"), "}"] },
  { text: "{{a}}", template: ["{", "a", "}"] },
  { text: "/{xr:spec.db}?{xr:a[0]|url}", template: ["/", field(["spec", "db"]), "?", field(["a", 0], true)] },
  { text: "{xr}{{xr:a}}", template: [key("xr"), "{", "xr:a", "}"] },
  ...["{", "}", "{a", "a}", "{}", "{a b}", "{a|html}", "{xr:}", "{xr:a..b}", "{xr:a|html}", "{ab:c}"].map((text) => ({
    text,
    template: undefined,
  })),
])("the template $text is parsed to $template", ({ text, template }) => {
  expect(parseTemplate(text)).toEqual(template);
});
