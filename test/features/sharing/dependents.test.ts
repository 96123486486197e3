import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DEPENDS_ON } from "../../../src/ownership/annotations.ts";
import { RECORD_NAME, readBindings } from "../../../src/records/record.ts";
import { boundTo, type CallParts, callOf, sharingDraft, V2 } from "../../../testing/builders/calls.ts";
import { copying, KEY, objectIn, recorded, withoutCopies } from "../../../testing/builders/copies.ts";
import { couldNotRead } from "../../../testing/builders/kubernetes.ts";
import { fatalsIn, reasonIn, requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { another, grantedTo, naming, refused } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, observedObject, POSTGRES, xr } from "../../../testing/builders/sharing.ts";

/** What exists only while its XR has access: here a PushSecret that an earlier step desires. */

const PUSH = { apiVersion: "external-secrets.io/v1alpha1", kind: "PushSecret" };
const WANTED = { ...PUSH, spec: { to: "now" } };
const alone = withoutCopies({ dependents: ["push*"] });
const withCopy = (connection: JsonObject = {}) => ({ ...copying({}, connection), dependents: ["push*"] });

const mark = (name: string, kind = POSTGRES) => ({ [DEPENDS_ON]: JSON.stringify({ db: { ...kind, name } }) });
/** The PushSecret as it is observed: for this database, or without our mark. */
const there = (name: string | undefined = "orders"): JsonObject => ({
  ...PUSH,
  metadata: { name: "push-1", uid: "u", ...(name !== "" && { annotations: mark(name) }) },
  spec: { to: "before" },
  status: { synced: true },
});
const bare = there("");
const copy = (status = { ready: "True" }): JsonObject => {
  const { metadata, ...object } = observedObject(status);
  return { ...object, metadata: { ...(metadata as JsonObject), annotations: recorded() } };
};
const NONE_LEAVES = { "adoption/predecessors/PushSecret": [] };

const draftOf = ({ answers = {}, ...parts }: CallParts): Draft =>
  sharingDraft({
    capabilities: V2,
    sharedResources: [alone],
    desired: { push: WANTED },
    ...parts,
    answers: { ...NONE_LEAVES, ...answers },
  });

/** `as desired`, `as observed`, or what becomes of it. */
function fateOf(draft: Draft, name = "push"): string {
  if (draft.resources.get(name)?.is === "removed") return "left out";
  const { spec } = objectIn(draft, name) ?? {};
  return spec === undefined ? "untouched" : (spec as JsonObject)["to"] === "now" ? "as desired" : "as observed";
}

const CANNOT_READ = {
  status: { conditions: [{ type: "Synced", status: "False", message: couldNotRead("namespace/team-a") }] },
};
const bySelector = another("orders", undefined, {
  annotations: { "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector": "team=a" },
});
const decoy = another("decoy", "*");
const onDelete = withCopy({ onSourceMissing: "Delete" });

type Row = readonly [reason: string, fate: string, condition: string, parts: CallParts];

describe("a dependent that does not exist", () => {
  test.each<Row>([
    ["is composed with the grant", "as desired", "Available", { answers: { db: [database()] } }],
    ["waits for the grant", "left out", "AccessNotGranted", { answers: { db: [refused] } }],
    ["waits for the shared resource", "left out", "NotFound", { answers: { db: [] } }],
    ["waits for the first answer", "left out", "WaitingForRequiredResources", {}],
    ["waits where nothing is named", "left out", "FieldNotSet", { xr: naming() }],
    [
      "waits while the shared resource is being deleted",
      "left out",
      "DependentsHeldBack",
      {
        answers: {
          db: [
            grantedTo("team-a", {
              metadata: { name: "orders", annotations: { [ALLOWED]: "*" }, deletionTimestamp: "2026-01-01T00:00:00Z" },
            }),
          ],
        },
      },
    ],
    [
      "waits for the readiness that the input asks for",
      "left out",
      "SharedResourceNotReady",
      { answers: { db: [database()] }, sharedResources: [{ ...alone, readiness: "Required" }] },
    ],
    [
      "waits for the copy to be composed",
      "left out",
      "DependentsHeldBack",
      { answers: { db: [database()] }, sharedResources: [withCopy()] },
    ],
    [
      "waits for the copy to be written",
      "left out",
      "DependentsHeldBack",
      { answers: { db: [database()] }, sharedResources: [withCopy()], observed: { [KEY]: copy({ ready: "False" }) } },
    ],
    [
      "is composed once the copy is written",
      "as desired",
      "Available",
      { answers: { db: [database()] }, sharedResources: [withCopy()], observed: { [KEY]: copy() } },
    ],
    [
      "waits where the Namespace cannot be read",
      "left out",
      "NamespaceNotReadable",
      { answers: { db: [bySelector] }, xr: xr(CANNOT_READ) },
    ],
    [
      "waits where an object of another kind has its name",
      "left out",
      "AccessNotGranted",
      {
        answers: { db: [refused] },
        observed: { push: { apiVersion: "v1", kind: "ConfigMap", spec: { to: "before" } } },
      },
    ],
    [
      "waits, whatever the record says",
      "left out",
      "AccessNotGranted",
      { answers: { db: [refused] }, observed: { [RECORD_NAME]: boundTo({ db: { ...POSTGRES, name: "orders" } }) } },
    ],
    [
      "waits for the one before it to be gone",
      "left out",
      "DependentsHeldBack",
      {
        answers: {
          db: [database()],
          "adoption/predecessors/PushSecret": [
            {
              ...there(),
              metadata: {
                name: "push-1",
                deletionTimestamp: "2026-01-01T00:00:00Z",
                annotations: { "crossplane.io/composition-resource-name": "push" },
              },
            },
          ],
        },
      },
    ],
  ])("%s", (_reason, fate, condition, parts) => {
    const draft = draftOf(parts);
    expect([fateOf(draft), says(draft)]).toEqual([fate, expect.stringContaining(condition)]);
    expect(draft.compositeReady).toBe(condition === "Available" ? undefined : "False");
  });
});

describe("a dependent that exists", () => {
  const record = (name: string) => ({ [RECORD_NAME]: boundTo({ db: { ...POSTGRES, name } }) });
  const observed = { push: there() };
  test.each<Row>([
    ["follows earlier steps while the grant stands", "as desired", "Available", { answers: { db: [database()] } }],
    [
      "is taken over without a mark",
      "as desired",
      "Available",
      { answers: { db: [database()] }, observed: { push: bare } },
    ],
    ["goes with the grant", "left out", "AccessNotGranted", { answers: { db: [refused] } }],
    [
      "goes with the grant, though only the record tells of it",
      "left out",
      "FieldNotSet",
      { answers: { "db/recorded": [refused] }, xr: naming(), observed: { push: bare, ...record("orders") } },
    ],
    ["stays while nothing is known", "as observed", "WaitingForRequiredResources", {}],
    ["stays while nothing is known, though it has no mark", "as observed", "Waiting", { observed: { push: bare } }],
    [
      "stays while the XR names nothing, and the grant stands",
      "as observed",
      "FieldNotSet",
      { answers: { "db/recorded": [database()] }, xr: naming() },
    ],
    ["stays while that is looked up", "as observed", "FieldNotSet", { xr: naming() }],
    ["goes without a name", "left out", "FieldNotSet", { answers: { "db/recorded": [refused] }, xr: naming() }],
    [
      "goes though the record is empty and the XR names nothing",
      "left out",
      "FieldNotSet",
      { answers: { "db/recorded": [refused] }, xr: naming(), observed: { push: there(), [RECORD_NAME]: { data: {} } } },
    ],
    [
      "goes though the record tells of a resource that is gone",
      "left out",
      "FieldNotSet",
      { answers: { "db/recorded": [refused] }, xr: naming(), observed: { push: there(), ...record("gone") } },
    ],
    [
      "goes without a mark though the record tells of a resource that is gone: a team may write one that never was",
      "left out",
      "FieldNotSet",
      { answers: { "db/recorded": [] }, xr: naming(), observed: { push: bare, ...record("gone") } },
    ],
    [
      "stays for a database that does not grant, as it is for the one that does",
      "as observed",
      "AccessNotGranted",
      { answers: { db: [another("other")], "db/recorded": [database()] }, xr: naming("other") },
    ],
    [
      "goes though the XR names a decoy that does not grant",
      "left out",
      "AccessNotGranted",
      { answers: { db: [another("other")], "db/recorded": [refused] }, xr: naming("other") },
    ],
    [
      "is made anew for one that grants",
      "left out",
      "DependentsRemoved",
      { answers: { db: [decoy] }, xr: naming("decoy") },
    ],
    [
      "is made anew for another one than the record's, where it has no mark",
      "left out",
      "DependentsRemoved",
      { answers: { db: [decoy] }, xr: naming("decoy"), observed: { push: bare, ...record("orders") } },
    ],
    [
      "stays until the copy of the database that takes over is written",
      "as observed",
      "SourceNotFound",
      {
        answers: { db: [decoy], "db/secret": [], "db/recorded": [database()] },
        xr: naming("decoy"),
        sharedResources: [{ ...copying({ via: "Secret" }), dependents: ["push"] }],
      },
    ],
    [
      "goes with the grant before that",
      "left out",
      "SourceNotFound",
      {
        answers: { db: [decoy], "db/secret": [], "db/recorded": [refused] },
        xr: naming("decoy"),
        sharedResources: [{ ...copying({ via: "Secret" }), dependents: ["push"] }],
      },
    ],
    ["is kept without its source", "as observed", "NotFound", { answers: { db: [], "db/recorded": [] } }],
    [
      "is kept without its source, by onSourceMissing",
      "as observed",
      "NotFound",
      { answers: { db: [], "db/recorded": [] }, sharedResources: [withCopy()] },
    ],
    [
      "goes with its source, by onSourceMissing",
      "left out",
      "NotFound",
      { answers: { db: [], "db/recorded": [] }, sharedResources: [onDelete] },
    ],
    [
      "goes with its Secret, by onSourceMissing",
      "left out",
      "SourceNotFound",
      {
        answers: { db: [database()], "db/secret": [] },
        sharedResources: [{ ...copying({ via: "Secret" }, { onSourceMissing: "Delete" }), dependents: ["push"] }],
      },
    ],
    [
      "stays while its copy fails",
      "as desired",
      "WaitingForCopies",
      {
        answers: { db: [database()] },
        sharedResources: [withCopy()],
        observed: { ...observed, [KEY]: copy({ ready: "False" }) },
      },
    ],
    [
      "stays where the Namespace cannot be read",
      "as observed",
      "NamespaceNotReadable",
      { answers: { db: [bySelector], "db/recorded": [bySelector] }, xr: xr(CANNOT_READ) },
    ],
    [
      "goes though the Namespace cannot be read that another one needs",
      "left out",
      "NamespaceNotReadable",
      {
        answers: { db: [bySelector], "db/recorded": [another("before")] },
        xr: xr(CANNOT_READ),
        observed: { push: there("before") },
      },
    ],
    [
      "is no other kind's, whatever its mark says",
      "left out",
      "FieldNotSet",
      {
        xr: naming(),
        observed: { push: { ...there(), metadata: { annotations: mark("x", { ...POSTGRES, kind: "Secret" }) } } },
      },
    ],
    ["is not put back if nothing desires it", "untouched", "Available", { answers: { db: [database()] }, desired: {} }],
  ])("%s", (_reason, fate, condition, parts) => {
    const draft = draftOf({ observed, ...parts });
    expect([fateOf(draft), says(draft)]).toEqual([fate, expect.stringContaining(condition)]);
  });

  test("says what it is for, beside the shares of earlier steps", () => {
    const before = { ...WANTED, metadata: { annotations: { [DEPENDS_ON]: JSON.stringify({ a: { name: "x" } }) } } };
    const draft = draftOf({ answers: { db: [database()] }, desired: { push: before } });
    expect(objectIn(draft, "push")?.["metadata"]).toEqual({
      annotations: { [DEPENDS_ON]: JSON.stringify({ a: { name: "x" }, db: { ...POSTGRES, name: "orders" } }) },
    });
  });

  test("is kept whole, without its status and what Crossplane sets", () => {
    const { status: _, metadata, ...rest } = there();
    const { uid: __, ...kept } = metadata as JsonObject;
    expect(objectIn(draftOf({ observed }), "push")).toEqual({ ...rest, metadata: kept });
  });

  test("of two shares exists while both serve it", () => {
    const second = { ...alone, name: "two", select: { name: "second" } };
    const fates = [database(), refused].map((two) =>
      fateOf(draftOf({ observed, sharedResources: [alone, second], answers: { db: [database()], two: [two] } })),
    );
    expect(fates).toEqual(["as desired", "left out"]);
  });
});

describe("the dependents of a share", () => {
  test("are all that match, and nothing that this function composes", () => {
    const ours = { [KEY]: copy(), "shared-infrastructure/names": {}, "consumers/answers/x": {} };
    const draft = draftOf({
      sharedResources: [withoutCopies({ dependents: ["*"] })],
      answers: { db: [refused] },
      desired: { push: WANTED, app: WANTED, ...ours },
    });
    const left = [...draft.resources].filter(([, { is }]) => is === "removed").map(([name]) => name);
    expect(left).toEqual(["app", "push"]);
    expect(says(draft)).toContain(
      "db: composed resources are not created before this XR has access, and its copies: app, push",
    );
  });

  test("that went are said", () => {
    expect(says(draftOf({ answers: { db: [refused] }, observed: { push: there() } }))).toContain(
      "; db: composed resources are removed with the access that they depend on: push",
    );
  });

  test("may be missing with an optional share", () => {
    const draft = draftOf({ sharedResources: [{ ...alone, resolution: "Optional" }], answers: { db: [] } });
    expect([fateOf(draft), reasonIn(draft), draft.compositeReady]).toEqual(["left out", "Available", undefined]);
  });

  test("are asked for while they are to be created, and no longer", () => {
    const names = [{}, { push: there() }].map((observed) => [
      ...requirementsIn(draftOf({ answers: { db: [database()] }, observed })).keys(),
    ]);
    expect(names).toEqual([["shared-resource/db", "adoption/predecessors/PushSecret"], ["shared-resource/db"]]);
  });

  test("are in the record of the XR, by the resource that they are for", () => {
    const bindingsIn = (parts: CallParts) => {
      const call = callOf({ capabilities: V2, sharedResources: [alone], desired: { push: WANTED }, ...parts });
      const bindings = readBindings(documentOf(objectIn(runFeature(sharing, call), RECORD_NAME) ?? {})).get("db") ?? [];
      return bindings.map(({ resource: { name }, access, dependents }) => [name, access, dependents]);
    };
    const observed = { push: there() };
    expect([
      bindingsIn({ answers: { db: [database()] } }),
      bindingsIn({ answers: { db: [refused] }, observed }),
      bindingsIn({ answers: { db: [another("other")], "db/recorded": [database()] }, xr: naming("other"), observed }),
    ]).toEqual([
      [["orders", "Granted", ["push"]]],
      [["orders", "Requested", []]],
      [
        ["other", "Requested", []],
        ["orders", "Granted", ["push"]],
      ],
    ]);
  });
});

describe("a dependent that no earlier step desires", () => {
  const named = withoutCopies({ dependents: ["push", "none*"] });
  const FAULT =
    'no earlier step desires "push"; they desire app; a step that leaves it out for now, such as function-sequencer, has to come after this one';
  const granted = { answers: { db: [database()] }, sharedResources: [named], desired: { app: {} } };
  test.each<[reason: string, fatals: readonly string[], condition: string, parts: CallParts]>([
    [
      "is fatal",
      [`cannot use the input:\n  spec.sharedResources[0].dependents[0]: ${FAULT}`],
      "DependentNotDesired",
      {},
    ],
    ["fails alone beside copies", [], "DependentNotDesired", { observed: { [KEY]: copy() } }],
    [
      "fails alone with copies",
      [],
      "DependentNotDesired",
      { sharedResources: [{ ...copying(), dependents: ["push"] }] },
    ],
    ["fails alone beside another dependent", [], "DependentNotDesired", { observed: { app: there() } }],
    ["fails alone where it is observed", [], "DependentNotDesired", { observed: { push: there() } }],
  ])("%s", (_reason, fatals, condition, parts) => {
    const draft = draftOf({ ...granted, ...parts });
    expect([fatalsIn(draft), says(draft)]).toEqual([fatals, expect.stringContaining(condition)]);
  });
});
