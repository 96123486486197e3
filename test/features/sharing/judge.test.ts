import { describe, expect, test } from "vitest";
import { ALLOWED_NAMESPACE_SELECTOR } from "../../../src/crossplane/grants.ts";
import { resolveTargets } from "../../../src/features/sharing/copies/targets.ts";
import { findShared } from "../../../src/features/sharing/find.ts";
import { judgeShare } from "../../../src/features/sharing/judge.ts";
import { explainReason } from "../../../src/features/sharing/reasons.ts";
import { quote } from "../../../src/model/condition.ts";
import { begin } from "../../../testing/builders/run-feature.ts";
import {
  ALLOWED,
  type CallParts,
  callOf,
  database,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const judge = (parts: CallParts) => {
  const call = begin(callOf(parts));
  const [first] = call.input.spec.sharedResources;
  if (first === undefined) throw new Error("no shared resource");
  const targets = resolveTargets(first.connection?.copies ?? [], call);
  const judgement = judgeShare(first, targets, findShared(first, [], call), [], call);
  const [reason] = judgement.is === "copy" ? [] : judgement.reasons;
  return { judgement, is: judgement.is, says: reason && explainReason(reason, first) };
};

const connection = (overrides: object) => ({ copies: [{ secretName: "orders-db" }], ...overrides });
const byLabel = { matchLabels: { db: "orders" } };
const found = { db: [database()] };

describe("nothing new is copied while it cannot be told what and where to", () => {
  test.each<CallParts & { reason: string; is?: string; says: string }>([
    {
      reason: "nothing was looked up yet",
      is: "unknown",
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
      sharedResources: [shared({ select: { name: "orders", namespace: { fromCompositeFieldPath: "spec.where" } } })],
      capabilities: ["Capabilities", "RequiredResources"],
      says: "spec.where of the XR is not set",
    },
    {
      reason: "a label that is not optional is not set",
      sharedResources: [shared({ select: { matchLabels: { a: { fromCompositeFieldPath: "spec.none" } } } })],
      says: "spec.none of the XR is not set",
    },
    {
      reason: "the copies' namespaces are not set",
      sharedResources: [
        shared({
          connection: connection({
            copies: [{ namespaces: { fromCompositeFieldPath: "spec.apps" }, secretName: "orders-db" }],
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
            copies: [{ namespaces: { fromCompositeFieldPath: "spec.apps" }, secretName: "orders-db" }],
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
            copies: [{ namespaces: { fromCompositeFieldPath: "kind" }, secretName: "orders-db" }],
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
      says: "found 2 XPostgres with labels db=orders, more than maxMatch: 1: orders",
    },
    {
      reason: "there is none",
      is: "gone",
      answers: { db: [] },
      says: "found no XPostgres orders",
    },
    {
      reason: "no resource has the labels",
      is: "gone",
      sharedResources: [shared({ select: byLabel })],
      answers: { db: [] },
      says: "found no XPostgres with labels db=orders",
    },
    {
      reason: "every label is optional and none is set",
      sharedResources: [
        shared({ select: { matchLabels: { a: { fromCompositeFieldPath: "spec.none", optional: true } } } }),
      ],
      says: "everything that select.matchLabels refers to is not set",
    },
    {
      reason: "it names no Secret",
      is: "gone",
      answers: { db: [database({ spec: {} })] },
      says: "XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name",
    },
    {
      reason: "it names no Secret, which is told to those only who may have it",
      answers: { db: [database({ spec: {}, annotations: {} })] },
      says: `XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`,
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
            copies: [{ namespaces: "databases", secretName: "orders-conn" }],
          }),
        }),
      ],
      answers: found,
      says: "Secret databases/orders-conn is the source itself",
    },
    {
      reason: "a namespaced resource names a Secret elsewhere",
      sharedResources: [shared({ select: { name: "orders", namespace: "team-db" } })],
      capabilities: ["Capabilities", "RequiredResources"],
      answers: {
        db: [database({ metadata: { name: "orders", namespace: "team-db", annotations: { [ALLOWED]: "*" } } })],
      },
      says: "XPostgres orders in namespace team-db names a Secret in another namespace, but may share Secrets of its own namespace only",
    },
    ...["../x", "..", "a/b", "a%2Fb", "a b", "x".repeat(254)].map((name) => ({
      reason: `a name that no resource has: ${name.slice(0, 10)}`,
      xr: xr({ spec: { claimRef: { namespace: "team-a", name: "shop" }, parameters: { database: name } } }),
      says: `${quote(name)} is not a resource's name`,
    })),
    {
      reason: "a label's value from the XR that no label has",
      sharedResources: [shared({ select: { matchLabels: { a: { fromCompositeFieldPath: "spec.label" } } } })],
      xr: xr({ spec: { label: "a b" } }),
      says: '"a b" is not a label\'s value',
    },
    {
      reason: "a namespace from the XR that is none",
      sharedResources: [shared({ select: { name: "orders", namespace: { fromCompositeFieldPath: "spec.where" } } })],
      xr: xr({ spec: { where: "*" } }),
      capabilities: ["Capabilities", "RequiredResources"],
      says: '"*" is not a namespace\'s name',
    },
    {
      reason: "labels that match in a namespace which the Composition does not name",
      sharedResources: [shared({ select: byLabel })],
      answers: { db: [database(), database({ metadata: { name: "decoy", namespace: "evil" } })] },
      says: "XPostgres with labels db=orders is namespaced: the Composition has to set " + "select.namespace",
    },
  ])("$reason", ({ says, is = "broken", reason: _, ...parts }) => {
    expect(judge(parts)).toMatchObject({ is, says });
  });
});

describe("only what the owner grants is copied", () => {
  const copies = [{ namespaces: ["team-a", "team-b"], secretName: "orders-db" }];
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
    const { judgement } = judge({ sharedResources, answers: { db: [database({ annotations })] } });
    if (judgement.is !== "copy") throw new Error(`judged ${judgement.is}`);
    const granted = judgement.targets.filter(({ leave }) => leave === "granted");
    expect(granted.map(({ namespace }) => namespace)).toEqual(targets);
    expect(judgement.reasons).toEqual(
      refused === undefined
        ? []
        : [
            {
              is: "AccessNotGranted",
              shared: "orders",
              namespaces: refused,
              remedy: expect.stringContaining(`add ${refused.join(", ")} to its annotation ${ALLOWED}`),
            },
          ],
    );
  });

  test.each([
    {
      reason: "an entry that is no namespace's name",
      annotations: { [ALLOWED]: "red;team-a" },
      says: `${ALLOWED}, separated by commas, in which "red;team-a" is no namespace`,
    },
    {
      reason: "a selector that is none",
      annotations: { [ALLOWED_NAMESPACE_SELECTOR]: "team=a;" },
      says: `${ALLOWED}, or correct ${ALLOWED_NAMESPACE_SELECTOR}: "team=a;" is no label selector`,
    },
  ])("$reason is quoted to the owner, so that it is not added a second time", ({ annotations, says }) => {
    const answers = { db: [database({ annotations })] };
    expect(runSharing(callOf({ answers })).conditions[0]?.message).toBe(
      `db: XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${says}`,
    );
  });
});

test("an answer from another namespace than was asked for is not taken", () => {
  const elsewhere = database({ metadata: { name: "orders", namespace: "other", annotations: { [ALLOWED]: "*" } } });
  const select = { name: "orders", namespace: "databases" };
  expect(
    judge({
      sharedResources: [shared({ select })],
      capabilities: ["Capabilities", "RequiredResources"],
      answers: { db: [elsewhere] },
    }),
  ).toMatchObject({ is: "gone", says: "found no XPostgres orders in namespace databases" });
});
