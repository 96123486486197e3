import { describe, expect, test } from "vitest";
import { find } from "../../../src/features/sharing/find.ts";
import { explain } from "../../../src/features/sharing/standing.ts";
import { judge } from "../../../src/features/sharing/verdict.ts";
import { ALLOWED, type CallParts, callOf, database, shared, xr } from "../../../testing/builders/sharing.ts";

const verdictOf = (parts: CallParts) => {
  const call = callOf(parts);
  const [first] = call.input.spec.sharedResources;
  if (first === undefined) throw new Error("no shared resource");
  const { verdict } = judge(first, find(first, call).finding, call);
  const standing = verdict.is === "keep" || verdict.is === "drop" ? verdict.standing : undefined;
  return { verdict, is: verdict.is, says: standing && explain(standing, first) };
};

const connection = (overrides: object) => ({ copies: [{ secretName: { value: "orders-db" } }], ...overrides });
const byLabel = { matchLabels: [{ key: "db", value: "orders" }] };
const found = { db: [database()] };

describe("what cannot be told keeps what is there", () => {
  test.each<CallParts & { reason: string; says: string }>([
    {
      reason: "nothing was looked up yet",
      says: "waiting for Crossplane to look up XPostgres",
    },
    {
      reason: "the field that names it is not set",
      xr: xr({ spec: {} }),
      says: "spec.parameters.database of the XR is not set",
    },
    {
      reason: "the environment does not name it",
      sharedResources: [shared({ select: { name: { fromEnvironmentFieldPath: "db.name" } } })],
      says: "db.name of the environment is not set",
    },
    {
      reason: "its namespace is not set",
      sharedResources: [
        shared({ select: { name: { value: "orders" }, namespace: { fromCompositeFieldPath: "spec.where" } } }),
      ],
      capabilities: ["Capabilities", "RequiredResources"],
      says: "spec.where of the XR is not set",
    },
    {
      reason: "a label that is not optional is not set",
      sharedResources: [shared({ select: { matchLabels: [{ key: "a", fromCompositeFieldPath: "spec.none" }] } })],
      says: "spec.none of the XR is not set",
    },
    {
      reason: "the copies' namespaces are not set",
      sharedResources: [
        shared({
          connection: connection({
            copies: [{ namespaces: { fromCompositeFieldPath: "spec.apps" }, secretName: { value: "orders-db" } }],
          }),
        }),
      ],
      answers: found,
      says: "spec.apps of the XR is not set",
    },
    {
      reason: "the copies' namespaces are no list of names",
      xr: xr({
        spec: { claimRef: { namespace: "team-a", name: "shop" }, parameters: { database: "orders" }, apps: ["a", {}] },
      }),
      sharedResources: [
        shared({
          connection: connection({
            copies: [{ namespaces: { fromCompositeFieldPath: "spec.apps" }, secretName: { value: "orders-db" } }],
          }),
        }),
      ],
      answers: found,
      says: "spec.apps of the XR is not set",
    },
    {
      reason: "the copies' name is not set",
      sharedResources: [
        shared({ connection: connection({ copies: [{ secretName: { fromCompositeFieldPath: "spec.none" } }] }) }),
      ],
      answers: found,
      says: "spec.none of the XR is not set",
    },
    {
      reason: "a namespace from the XR is no name",
      sharedResources: [
        shared({
          connection: connection({
            copies: [{ namespaces: { fromCompositeFieldPath: "kind" }, secretName: { value: "orders-db" } }],
          }),
        }),
      ],
      answers: found,
      says: '"XShop" is not a namespace\'s name',
    },
    {
      reason: "two match",
      sharedResources: [shared({ select: byLabel })],
      answers: { db: [database(), database({ metadata: { name: "billing" } })] },
      says: "more than one XPostgres matches: billing, orders",
    },
    {
      reason: "there is none",
      answers: { db: [] },
      says: "there is no XPostgres orders",
    },
    {
      reason: "no resource has the labels",
      sharedResources: [shared({ select: byLabel })],
      answers: { db: [] },
      says: "there is no XPostgres with labels db=orders",
    },
    {
      reason: "every label is optional and none is set",
      sharedResources: [
        shared({ select: { matchLabels: [{ key: "a", fromCompositeFieldPath: "spec.none", optional: true }] } }),
      ],
      says: "everything that select.matchLabels refers to is not set",
    },
    {
      reason: "it names no Secret",
      answers: { db: [database({ spec: {} })] },
      says: "XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name",
    },
    {
      reason: "an XR without claim and namespace has no namespace of its own",
      xr: xr({ spec: { parameters: { database: "orders" } } }),
      answers: found,
      says: "spec.claimRef.namespace of the XR, the default of namespaces, is not set",
    },
    {
      reason: "a Secret's name from the XR is none",
      sharedResources: [
        shared({
          connection: connection({ copies: [{ secretName: { fromCompositeFieldPath: "spec.claimRef.kind" } }] }),
        }),
      ],
      answers: found,
      says: '"Shop" is not a Secret\'s name',
    },
    {
      reason: "a copy over its own source would destroy it",
      sharedResources: [
        shared({
          connection: connection({
            copies: [{ namespaces: { value: "databases" }, secretName: { value: "orders-conn" } }],
          }),
        }),
      ],
      answers: found,
      says: "Secret databases/orders-conn is the source itself",
    },
    {
      reason: "a namespaced resource names a Secret elsewhere",
      sharedResources: [shared({ select: { name: { value: "orders" }, namespace: { value: "team-db" } } })],
      capabilities: ["Capabilities", "RequiredResources"],
      answers: {
        db: [database({ metadata: { name: "orders", namespace: "team-db", annotations: { [ALLOWED]: "*" } } })],
      },
      says: "XPostgres team-db/orders names Secret databases/orders-conn, but may share those of its own namespace only",
    },
  ])("$reason", ({ says, reason: _, ...parts }) => {
    expect(verdictOf(parts)).toMatchObject({ is: "keep", says });
  });
});

describe("a source that is gone", () => {
  const deleting = [shared({ connection: connection({ onSourceMissing: "Delete" }) })];
  test.each<CallParts & { reason: string; is: string }>([
    { reason: "keeps its copies by default", is: "keep", answers: { db: [] } },
    { reason: "takes them along if the input says so", is: "drop", sharedResources: deleting, answers: { db: [] } },
    {
      reason: "or if its Secret is gone",
      is: "drop",
      sharedResources: deleting,
      answers: { db: [database({ spec: {} })] },
    },
    { reason: "but not while nothing is known", is: "keep", sharedResources: deleting },
  ])("$reason", ({ is, reason: _, ...parts }) => {
    expect(verdictOf(parts).is).toBe(is);
  });
});

describe("only what the owner grants is copied", () => {
  const copies = [{ namespaces: { value: ["team-a", "team-b"] }, secretName: { value: "orders-db" } }];
  test.each([
    { reason: "both named", allowed: "team-a, team-b", targets: ["team-a", "team-b"], refused: undefined },
    { reason: "everybody", allowed: "*", targets: ["team-a", "team-b"], refused: undefined },
    { reason: "one of two", allowed: "team-b", targets: ["team-b"], refused: ["team-a"] },
    { reason: "a prefix is not a name", allowed: "team-, team-ab", targets: [], refused: ["team-a", "team-b"] },
    { reason: "nobody", allowed: "", targets: [], refused: ["team-a", "team-b"] },
    { reason: "no annotation", allowed: undefined, targets: [], refused: ["team-a", "team-b"] },
  ])("$reason: $allowed", ({ allowed, targets, refused }) => {
    const annotations = allowed === undefined ? {} : { [ALLOWED]: allowed };
    const sharedResources = [shared({ connection: { copies } })];
    const { verdict } = verdictOf({ sharedResources, answers: { db: [database({ annotations })] } });
    if (verdict.is !== "copy") throw new Error(`judged ${verdict.is}`);
    expect(verdict.granted.map(({ namespace }) => namespace)).toEqual(targets);
    expect(verdict.refusal).toEqual(
      refused && {
        is: "AccessNotGranted",
        shared: "orders",
        namespaces: refused,
        remedy: `add ${refused.join(", ")} to its annotation ${ALLOWED}`,
      },
    );
  });
});

test("an answer from another namespace than was asked for is not taken", () => {
  const elsewhere = database({ metadata: { name: "orders", namespace: "other", annotations: { [ALLOWED]: "*" } } });
  const select = { name: { value: "orders" }, namespace: { value: "databases" } };
  expect(
    verdictOf({
      sharedResources: [shared({ select })],
      capabilities: ["Capabilities", "RequiredResources"],
      answers: { db: [elsewhere] },
    }),
  ).toMatchObject({ is: "keep", says: "there is no XPostgres orders in namespace databases" });
});
