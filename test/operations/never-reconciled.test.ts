import { describe, expect, test } from "vitest";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { LookupAnswer } from "../../src/model/requirement.ts";
import * as operations from "../../src/operations/operations.ts";
import { objectOf, synced } from "../../testing/builders/kubernetes.ts";
import { requirementsIn, toBaseName } from "../../testing/builders/read-draft.ts";
import { emptyRequest } from "../../testing/builders/request.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { inputOf } from "../../testing/builders/sharing.ts";

// An Operation that reads the XRDs of a platform and their XRs.

const NUDGED_FOR = "shared-infrastructure.fn.crossplane.io/nudged-for";

const NAME = "xshops.apps.example.org";
const XRDS = { apiVersion: "apiextensions.crossplane.io/v2", kind: "CompositeResourceDefinition" };
const SHOPS = { apiVersion: "apps.example.org/v1", kind: "XShop" };

const versions = [{ name: "v1beta1" }, { name: "v1", referenceable: true }];
const definition = (annotations: JsonObject = {}, established = "True"): JsonObject => ({
  ...XRDS,
  metadata: { name: NAME, annotations },
  spec: { group: "apps.example.org", names: { kind: "XShop", plural: "xshops" }, versions },
  status: { conditions: [{ type: "Established", status: established }] },
});

const shop = (name: string, status: JsonObject = {}): JsonObject =>
  objectOf(SHOPS.apiVersion, SHOPS.kind, { name, uid: `uid-of-${name}` }, { status });
const [failed, fine] = [shop("failed", synced("False")), shop("fine", synced("True"))];

/** Runs it where Crossplane has answered with these XRDs, and then with these XRs, by XRD if there are several; undefined is pending. */
function operate(definitions?: readonly JsonObject[], shops?: readonly JsonObject[] | Shops, spec: JsonObject = {}) {
  const required = (name: string): LookupAnswer => {
    const asked = toBaseName(name).replace(/^never-reconciled\/(composites\/)?/, "");
    const found = Array.isArray(shops) ? shops : (shops as Shops | undefined)?.[asked];
    const items: readonly JsonObject[] | undefined = asked === "definitions" ? definitions : found;
    return items === undefined ? { is: "pending" } : { is: "resolved", items: items.map(documentOf) };
  };
  const request = { ...emptyRequest, required };
  return runFeature(operations.operate, { request, input: parseInput(inputOf({ neverReconciled: spec })) });
}

type Shops = Readonly<Record<string, readonly JsonObject[]>>;

/** The result, the XRs in the output, and the edits of XRDs. */
const outcomeOf = ({ results, resources, output }: Draft) => ({
  result: results.map(({ severity, message }) => `${severity}: ${message}`).join(),
  found: output?.["neverReconciled"],
  nudges: [...resources].map(([name, edit]) => [name, edit.is === "set" ? edit.object : edit]),
});

/** The value with which the XRD is nudged for these XRs. */
function nudgedFor(...shops: readonly JsonObject[]): string {
  const text = JSON.stringify(outcomeOf(operate([definition()], shops)).nudges);
  return /[0-9a-f]{16}/.exec(text)?.[0] ?? "none";
}

const askedXrds = ["never-reconciled/definitions", { ...XRDS, match: { labels: {} } }];
const both = [askedXrds, [`never-reconciled/composites/${NAME}`, { ...SHOPS, match: { labels: {} } }]];

describe("an Operation that looks for XRs that were never reconciled", () => {
  test.each([
    ["the XRDs first", operate(), [askedXrds]],
    ["their XRs next, and the XRDs again", operate([definition()]), both],
    // Crossplane would fail on a kind that is not served.
    ["no XRs of an XRD that is not established", operate([definition({}, "False")]), [askedXrds]],
    ["the same when all is answered, or it would be called for ever", operate([definition()], [shop("one")]), both],
  ])("requires %s", (_, draft, asks) => {
    expect([...requirementsIn(draft)]).toEqual(asks);
  });

  test("requires only XRDs with the labels of the input", () => {
    const { requirements } = operate(undefined, undefined, { definitions: { matchLabels: { team: "shop" } } });
    expect([...requirements.values()]).toEqual([{ ...XRDS, match: { labels: { team: "shop" } } }]);
  });

  test("reports and nudges nothing while an answer is pending", () => {
    expect(outcomeOf(operate([definition()]))).toEqual({ result: "", found: undefined, nudges: [] });
  });
});

describe("an Operation that has found all XRs", () => {
  test("reports those without a condition Synced, and nudges their XRD", () => {
    const annotations = { [NUDGED_FOR]: expect.stringMatching(/^[0-9a-f]{16}$/) };
    expect(outcomeOf(operate([definition()], [shop("two"), shop("one"), failed, fine]))).toEqual({
      result: `Warning: ${NAME}: never reconciled: one, two`,
      found: { [NAME]: ["one", "two"] },
      nudges: [[`nudge/${NAME}`, { ...XRDS, metadata: { name: NAME, annotations } }]],
    });
  });

  test("reports nothing while the XRs of another XRD are pending, and XRDs by name", () => {
    const both = ["b", "a"].map((name) => ({ ...definition(), metadata: { name } }));
    const [pending, found] = [{ a: [shop("one")] }, { a: [shop("one")], b: [shop("two")] }];
    expect(outcomeOf(operate(both, pending))).toEqual({ result: "", found: undefined, nudges: [] });
    expect(outcomeOf(operate(both, found)).result).toBe(
      "Warning: a: never reconciled: one,Warning: b: never reconciled: two",
    );
  });

  const again =
    "never reconciled: one; the XRD was already nudged for these XRs: " +
    "look at Crossplane's log, and restart Crossplane if the log says nothing";
  const nudged = definition({ [NUDGED_FOR]: nudgedFor(shop("one")) });
  const onlyReported = operate([definition()], [shop("one")], { onFound: "Report" });
  const none = "Normal: all XRs of 1 XRDs have been reconciled";
  test.each([
    ["none where all were", operate([definition()], [failed, fine]), none, {}],
    ["those that it has nudged for", operate([nudged], [shop("one")]), `Warning: ${NAME}: ${again}`],
    ["those of onFound: Report", onlyReported, `Warning: ${NAME}: never reconciled: one`],
  ])("reports and does not nudge: %s", (_, draft, result, found = { [NAME]: ["one"] }) => {
    expect(outcomeOf(draft)).toEqual({ result, found, nudges: [] });
  });

  test("nudges with one value for the same XRs, in whatever order they come", () => {
    const [a, b, c] = [shop("a"), shop("b"), shop("c")];
    expect(nudgedFor(b, a)).toBe(nudgedFor(a, b));
    expect(new Set([nudgedFor(a, b), nudgedFor(a, c), nudgedFor(a, b, c)]).size).toBe(3);
  });

  test("names ten of many that were never reconciled and counts the rest", () => {
    const shops = Array.from({ length: 12 }, (_, index) => shop(`shop-${String(index).padStart(2, "0")}`));
    expect(outcomeOf(operate([definition()], shops)).result).toMatch(/shop-00, .*, shop-09 and 2 more$/);
  });
});
