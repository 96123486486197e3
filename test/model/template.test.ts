import { describe, expect, test } from "vitest";
import { attempt } from "../../src/errors.ts";
import { parseFieldsText, parseTemplate } from "../../src/model/template.ts";

describe("a template", () => {
  const field = (path: readonly (string | number)[], of = "xr") => ({ of, field: path });
  const url = "url";
  test.each([
    { text: "", template: [] },
    { text: "plain", template: ["plain"] },
    { text: "{a}", template: [{ key: "a" }] },
    { text: "x{a.b-c_1}{b|url}y", template: ["x", { key: "a.b-c_1" }, { key: "b", encoding: url }, "y"] },
    { text: "{{{a}}}", template: ["{", { key: "a" }, "}"] },
    { text: "{{a}}", template: ["{", "a", "}"] },
    {
      text: "/{xr:spec.db}?{xr:a[0]|url}",
      template: ["/", field(["spec", "db"]), "?", { ...field(["a", 0]), encoding: url }],
    },
    { text: "{shared:status.a}", template: [field(["status", "a"], "shared")] },
    { text: "{a|base64}{b|json}", template: ["base64", "json"].map((encoding, i) => ({ key: "ab"[i], encoding })) },
    { text: "{xr}{{xr:a}}", template: [{ key: "xr" }, "{", "xr:a", "}"] },
  ])("$text is parsed to $template", ({ text, template }) => {
    expect(parseTemplate(text)).toEqual(template);
  });

  const atOne = "the brace at character 1";
  const secret = '{"password": "hunter2"}';
  test.each([
    ...["{", "}", "{a", "a}", "{a b}", secret].map((text) => [text, text === "a}" ? atOne.replace("1", "2") : atOne]),
    ...["{}", "{..}", "{.}"].map((text) => [text, text]),
    ...["{a|html}", "{xr:}", "{xr:a..b}", "{shared:}", "{xr:a|html}", "{ab:c}", "{a|base46}"].map((text) => [
      text,
      text,
    ]),
    ["ok {a|url} then {a|base46}", "{a|base46}"],
  ])("%s is none, of which its author is told %s", (text = "", place) => {
    expect(attempt(() => parseTemplate(text))).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^not a template: ${place?.replace(/[{}|.]/g, "\\$&")} is wrong; \\{key`),
      ),
    });
  });
});

describe("a text of one resource's fields", () => {
  test.each([
    ["{metadata.name}-sql", [["metadata", "name"], "-sql"]],
    ["{metadata.labels[a.b/c]}", [["metadata", "labels", "a.b/c"]]],
    ["{{x}}", ["{", "x", "}"]],
  ])("%s is parsed to %j", (text, parts) => {
    expect(parseFieldsText(text)).toEqual(parts);
  });

  test.each(["{xr:spec.a}", "{shared:spec.a}", "{a|url}", "{a..b}", "{}"])("%s is none", (text) => {
    expect(() => parseFieldsText(text)).toThrow(`not a template: ${text} is wrong; {metadata.name} is replaced`);
  });
});
