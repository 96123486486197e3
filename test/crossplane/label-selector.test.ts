import { describe, expect, test } from "vitest";
import { matchesLabels, parseLabelSelector, requiredLabels } from "../../src/crossplane/label-selector.ts";
import { documentOf } from "../../src/model/document.ts";

const labelled = (labels: Record<string, string>) => documentOf({ metadata: { labels } });

describe("a label selector", () => {
  test.each<[string, readonly Record<string, string>[], readonly Record<string, string>[]]>([
    ["team=orders", [{ team: "orders" }], [{ team: "billing" }, {}]],
    ["team == orders", [{ team: "orders" }], [{}]],
    ["team!=orders", [{ team: "billing" }, {}], [{ team: "orders" }]],
    [
      "team=orders,env in (prod, stage)",
      ["prod", "stage"].map((env) => ({ team: "orders", env })),
      [{ team: "orders" }, { team: "orders", env: "dev" }, { env: "prod" }],
    ],
    ["env notin (dev)", [{ env: "prod" }, {}], [{ env: "dev" }]],
    ["example.org/shared", [{ "example.org/shared": "" }], [{}]],
    ["! legacy , team=a", [{ team: "a" }], [{ team: "a", legacy: "" }]],
    ["team=", [{ team: "" }], [{ team: "a" }, {}]],
    ["constructor", [{ constructor: "x" }], [{}]],
  ])("%s matches as kubectl does", (selector, matches, others) => {
    const parsed = parseLabelSelector(selector);
    if (parsed === undefined) throw new Error(`cannot parse ${selector}`);
    expect([...matches, ...others].filter((labels) => matchesLabels(labelled(labels), parsed))).toEqual(matches);
  });

  test.each([
    ["", "an empty one would match everything"],
    ["  ", "nor is a blank one what anybody means"],
    ["team=orders,", "a comma leads to another condition"],
    ["team=a=b", "a value holds no sign"],
    ["team in prod", "a list stands in brackets"],
    ["team in (a", "and they are closed"],
    ["team in ((a))", "once"],
    ["team in (a b)", "its values are separated by commas"],
    ["team > 3", "Namespaces have no order"],
    ["-team", "a key begins with a letter or digit"],
    ["*", "a star is no selector"],
    [Array.from({ length: 51 }, (_, i) => `k${i}`).join(","), "more than fifty conditions are not meant"],
    ["a".repeat(10_001), "nor a text of that length"],
  ])("%j is none: %s", (selector) => {
    expect(parseLabelSelector(selector)).toBeUndefined();
  });

  test("tells the labels that all matches have", () => {
    const parsed = parseLabelSelector("team=orders,env in (prod),site in (a,b),!legacy,shared");
    expect(parsed && requiredLabels(parsed)).toEqual({ team: "orders", env: "prod" });
  });

  test("costs what its text costs", () => {
    const texts = ["a".repeat(9999), `${"a ".repeat(4000)}in (`, `k in (${"v,".repeat(4000)}`, "(".repeat(9999)];
    const start = performance.now();
    for (const text of texts) parseLabelSelector(text);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
