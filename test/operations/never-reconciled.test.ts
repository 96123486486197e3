import { describe, expect, test } from "vitest";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { LookupAnswer } from "../../src/model/requirement.ts";
import * as operations from "../../src/operations/operations.ts";
import { emptyRequest } from "../../testing/builders/request.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { synced } from "../../testing/builders/shared-database.ts";
import { inputOf, requirementsIn, toBaseName } from "../../testing/builders/sharing.ts";

// An Operation that reads the XRDs of a platform and their XRs.

const NUDGED_FOR = "shared-infrastructure.fn.crossplane.io/nudged-for";

const definition = ({ isEstablished = true, annotations = {} }: Parts = {}): JsonObject => ({
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
  metadata: { name: "xshops.apps.example.org", annotations },
  spec: {
    group: "apps.example.org",
    names: { kind: "XShop", plural: "xshops" },
    versions: [{ name: "v1beta1" }, { name: "v1", referenceable: true }],
  },
  status: { conditions: [{ type: "Established", status: isEstablished ? "True" : "False" }] },
});

interface Parts {
  readonly isEstablished?: boolean;
  readonly annotations?: JsonObject;
}

const shop = (name: string, status: JsonObject = {}): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XShop",
  metadata: { name, uid: `uid-of-${name}` },
  status,
});

interface World {
  readonly definitions?: readonly JsonObject[];
  readonly shops?: readonly JsonObject[];
}

function operate({ definitions, shops }: World, spec: JsonObject = {}) {
  const answers = new Map([
    ["never-reconciled/definitions", definitions],
    ["never-reconciled/composites/xshops.apps.example.org", shops],
  ]);
  const required = (name: string): LookupAnswer => {
    const items = answers.get(toBaseName(name));
    return items === undefined ? { is: "pending" } : { is: "resolved", items: items.map(documentOf) };
  };
  const request = { ...emptyRequest, required };
  return runFeature(operations.operate, { request, input: parseInput(inputOf({ neverReconciled: spec })) });
}

const XRDS = { apiVersion: "apiextensions.crossplane.io/v2", kind: "CompositeResourceDefinition" };
const askedXrds = ["never-reconciled/definitions", { ...XRDS, match: { labels: {} } }];
const askedShops = [
  "never-reconciled/composites/xshops.apps.example.org",
  { apiVersion: "apps.example.org/v1", kind: "XShop", match: { labels: {} } },
];

/** The results, the edits of XRDs and the output. */
const outcomeOf = (draft: ReturnType<typeof operate>) => ({
  results: draft.results.map(({ severity, message }) => `${severity}: ${message}`),
  nudges: [...draft.resources].map(([name, edit]) => [name, edit.is === "set" ? edit.object : edit]),
  output: draft.output,
});

/** One result, what is in the output, and no nudge. */
const reported = (result: string, neverReconciled: JsonObject) => ({
  results: [result],
  nudges: [] as unknown[],
  output: { neverReconciled },
});
const NAME = "xshops.apps.example.org";

const nudgeOf = (value: unknown) => [
  [`nudge/${NAME}`, { ...XRDS, metadata: { name: NAME, annotations: { [NUDGED_FOR]: value } } }],
];

describe("an Operation that looks for XRs that were never reconciled", () => {
  test.each([
    ["the XRDs first", {}, [askedXrds]],
    ["their XRs next, and the XRDs again", { definitions: [definition()] }, [askedXrds, askedShops]],
    [
      "no XRs of an XRD that is not established, since Crossplane would fail on a kind that is not served",
      { definitions: [definition({ isEstablished: false })] },
      [askedXrds],
    ],
    [
      "the same when everything is answered, or Crossplane would call for ever",
      { definitions: [definition()], shops: [shop("one")] },
      [askedXrds, askedShops],
    ],
  ])("requires %s", (_, world, asks) => {
    expect([...requirementsIn(operate(world))]).toEqual(asks);
  });

  test("requires only XRDs with the labels of the input", () => {
    const { requirements } = operate({}, { definitions: { matchLabels: { team: "shop" } } });
    expect([...requirements.values()]).toEqual([{ ...XRDS, match: { labels: { team: "shop" } } }]);
  });

  test("reports and nudges nothing while an answer is pending", () => {
    expect(outcomeOf(operate({ definitions: [definition()] }))).toEqual({ results: [], nudges: [], output: undefined });
  });
});

describe("an Operation that has found all XRs", () => {
  const nudgedFor = (shops: readonly JsonObject[]): string => {
    const edit = operate({ definitions: [definition()], shops }).resources.get(`nudge/${NAME}`);
    return String((edit?.is === "set" ? JSON.stringify(edit.object) : "").match(/[0-9a-f]{16}/)?.[0]);
  };

  test("reports those without a condition Synced, and nudges their XRD", () => {
    const shops = [shop("two"), shop("one"), shop("failed", synced("False")), shop("fine", synced("True"))];
    expect(outcomeOf(operate({ definitions: [definition()], shops }))).toEqual({
      ...reported(`Warning: ${NAME}: never reconciled: one, two`, { [NAME]: ["one", "two"] }),
      nudges: nudgeOf(expect.stringMatching(/^[0-9a-f]{16}$/)),
    });
  });

  test("reports none where all have been reconciled, with success or without", () => {
    const shops = [shop("failed", synced("False")), shop("fine", synced("True"))];
    expect(outcomeOf(operate({ definitions: [definition()], shops }))).toEqual(
      reported("Normal: all XRs of 1 XRDs have been reconciled", {}),
    );
  });

  test("reports those for which it has nudged before, and does not nudge again", () => {
    const annotations = { [NUDGED_FOR]: nudgedFor([shop("one")]) };
    const nudged =
      `Warning: ${NAME}: never reconciled: one; its XRD was already nudged for these XRs: ` +
      "look at Crossplane's log, and restart Crossplane if it says nothing";
    const world = { definitions: [definition({ annotations })], shops: [shop("one")] };
    expect(outcomeOf(operate(world))).toEqual(reported(nudged, { [NAME]: ["one"] }));
  });

  test.each([
    { reason: "the same XRs in another order", shops: [shop("b"), shop("a")], isSame: true },
    { reason: "another XR", shops: [shop("a"), shop("c")], isSame: false },
    { reason: "one XR more", shops: [shop("a"), shop("b"), shop("c")], isSame: false },
  ])("nudges with the same value for $reason: $isSame", ({ shops, isSame }) => {
    expect(nudgedFor(shops) === nudgedFor([shop("a"), shop("b")])).toBe(isSame);
  });

  test("reports them and leaves the XRD alone under onFound: Report", () => {
    const world = { definitions: [definition()], shops: [shop("one")] };
    expect(outcomeOf(operate(world, { onFound: "Report" }))).toEqual(
      reported(`Warning: ${NAME}: never reconciled: one`, { [NAME]: ["one"] }),
    );
  });

  test("names ten of many that were never reconciled and counts the rest", () => {
    const shops = Array.from({ length: 12 }, (_, index) => shop(`shop-${String(index).padStart(2, "0")}`));
    const { results } = operate({ definitions: [definition()], shops });
    expect(results[0]?.message).toMatch(/shop-00, .*, shop-09 and 2 more$/);
  });
});
