import { describe, expect, test } from "vitest";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { RESTORED } from "../../../src/ownership/annotations.ts";
import { RELEASE } from "../../../src/ownership/restored.ts";
import { bucket, composedCall, controlledBy, referring, store } from "../../../testing/builders/composed.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { at } from "../../../testing/builders/tags.ts";

const HELD = "held=*";
const FULL: readonly string[] = ["*"];
const OBSERVE: readonly string[] = ["Observe"];

interface Managed {
  /** Undefined before the function has seen it. */
  readonly mark?: string;
  readonly policies?: readonly string[];
  /** The condition Synced; `since` is the day of its transition in January, and the restore was on the first. */
  readonly synced?: {
    readonly status?: string;
    readonly message?: string;
    readonly since?: string;
    readonly about?: number;
  };
  readonly size?: JsonValue;
  readonly metadata?: JsonObject;
}

function managed(name: string, { mark, policies = OBSERVE, synced, size = "small", metadata }: Managed): JsonObject {
  const annotations = {
    "crossplane.io/composition-resource-name": name,
    ...(mark !== undefined && { [RESTORED]: mark }),
  };
  const controller = mark?.startsWith("held=") === true ? controlledBy("uid-now") : {};
  const { status = "True", message = "", since = "2026-01-02", about = 2 } = synced ?? {};
  const condition = {
    type: "Synced",
    status,
    message,
    lastTransitionTime: `${since}T00:00:00Z`,
    observedGeneration: about,
  };
  return bucket(
    name,
    { annotations, ...controller, ...metadata },
    {
      spec: {
        managementPolicies: policies,
        providerConfigRef: { name: "default" },
        forProvider: { size: "small", zones: ["a", "b"] },
      },
      status: { conditions: synced ? [condition] : [], atProvider: { size, zones: ["b", "a"] } },
    },
  );
}

const found = { mark: HELD, synced: {} };
const desired = { kind: "Bucket", spec: { forProvider: { size: "small" } } };

interface Parts {
  readonly observed: Readonly<Record<string, Managed>>;
  readonly desired?: Readonly<Record<string, JsonObject>>;
  readonly release?: string;
  readonly restore?: string;
}

function draftOf({
  observed,
  desired: wanted = { a: desired, b: desired },
  release,
  restore = "ObserveFirst",
}: Parts): Draft {
  const names = Object.keys(observed);
  const own = store(referring(...names));
  const annotations = release === undefined ? {} : { [RELEASE]: release };
  const xr = { ...own, metadata: { ...(own["metadata"] as JsonObject), annotations } };
  const all = Object.fromEntries(names.map((name) => [name, managed(name, observed[name] ?? {})]));
  return runFeature(adoption, composedCall({ xr, observed: all, desired: wanted, spec: { adoption: { restore } } }));
}

/** The policies and the mark that are desired; undefined where the resource is left as the step before desires it. */
function desiredIn({ resources }: Draft, name: string): readonly unknown[] | string | undefined {
  const edit = resources.get(name);
  if (edit?.is !== "set") return edit?.is;
  const object = edit.object ?? edit.document?.toObject() ?? {};
  return [at(object, "spec.managementPolicies"), at(object, `metadata.annotations[${RESTORED}]`)];
}

describe("with restore: ObserveFirst, a managed resource that was restored", () => {
  test.each<{ reason: string; a: Managed; b?: Managed; release?: string; is: unknown; says: string }>([
    { reason: "was not seen before", a: { policies: FULL }, is: [OBSERVE, HELD], says: "1 found, 1 waiting" },
    { reason: "comes from Velero's modifier", a: { mark: "*" }, is: [OBSERVE, HELD], says: "1 found, 1 waiting" },
    {
      reason: "was looked for, but not marked yet",
      a: { mark: "*", synced: {} },
      is: [OBSERVE, HELD],
      says: "1 found, 1 waiting",
    },
    {
      reason: "had other policies, which are kept in the mark",
      a: { policies: ["Observe", "Delete"] },
      is: [OBSERVE, "held=Observe,Delete"],
      says: "1 found, 1 waiting",
    },
    {
      reason: "was looked for in the generation before",
      a: { mark: HELD, synced: { about: 1 } },
      is: [OBSERVE, HELD],
      says: "1 found, 1 waiting",
    },
    {
      reason: "has a status from the backup about this generation: another begins",
      a: { mark: HELD, synced: { since: "2025-01-01" } },
      is: [["Observe", "Observe"], HELD],
      says: "1 found, 1 waiting",
    },
    {
      reason: "is in the generation that begins so",
      a: { mark: HELD, policies: ["Observe", "Observe"], synced: { since: "2025-01-01", about: 1 } },
      is: [["Observe", "Observe"], HELD],
      says: "1 found, 1 waiting",
    },
    {
      reason: "cannot be looked for",
      a: { mark: HELD, synced: { status: "False", message: "cannot connect" } },
      is: [OBSERVE, HELD],
      says: "1 found, 1 waiting",
    },
    {
      reason: "is missing",
      a: { mark: HELD, synced: { status: "False", message: "observe failed: external resource does not exist" } },
      is: [OBSERVE, HELD],
      says: "1 found, 1 missing",
    },
    { reason: "is different", a: { ...found, size: "large" }, is: [OBSERVE, HELD], says: "1 found, 1 different" },
    {
      reason: "is different, and a person has released it",
      a: { ...found, size: "large" },
      release: "uid-now/a",
      is: [FULL, undefined],
      says: "Adopted",
    },
    {
      reason: "is different, and was released after another restore",
      a: { ...found, size: "large" },
      release: "uid-before/a",
      is: [OBSERVE, HELD],
      says: "1 found, 1 different",
    },
    {
      reason: "is different, and another one was released",
      a: { ...found, size: "large" },
      release: "uid-now/b",
      is: [OBSERVE, HELD],
      says: "1 different",
    },
    {
      reason: "is found, but the other is not",
      a: found,
      b: { mark: HELD },
      is: [OBSERVE, HELD],
      says: "1 found, 1 waiting",
    },
    { reason: "is found, and so is the other", a: found, is: [FULL, undefined], says: "Adopted" },
    {
      reason: "is being deleted",
      a: { ...found, size: "large", metadata: { deletionTimestamp: "2026-01-02T00:00:00Z" } },
      is: undefined,
      says: "Adopted",
    },
  ])("$reason: $says", ({ a, b = found, release, is, says }) => {
    const draft = draftOf({ observed: { a, b }, ...(release !== undefined && { release }) });
    const [condition] = draft.conditions;
    expect([desiredIn(draft, "a"), condition?.message?.split(":")[0] ?? condition?.reason]).toEqual([is, says]);
  });

  test("is written at once without it", () => {
    expect(draftOf({ observed: { a: { policies: FULL } }, restore: "Continue" }).resources.size).toBe(0);
  });

  test("says what to do, and names fields without their values", () => {
    const draft = draftOf({ observed: { a: { ...found, size: "large" }, b: found } });
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "RestoreNotConfirmed" }]);
    expect(draft.conditions[0]?.message).toBe(
      `1 found, 1 different: only observed until each is found as it is desired; to release some of them, or * for all: ` +
        `kubectl annotate xstore.apps.example.org store '${RELEASE}=uid-now/NAME,NAME'; ` +
        "a: the cloud differs in spec.forProvider.size, and is changed if released",
    );
  });
});

describe("while resources are only observed", () => {
  test("none is created, except for the function's own records", () => {
    const record = { apiVersion: "v1", kind: "ConfigMap" };
    const draft = draftOf({ observed: { a: found }, desired: { a: desired, new: desired, record } });
    expect([desiredIn(draft, "new"), desiredIn(draft, "record")]).toEqual(["removed", undefined]);
    expect(draft.conditions[0]?.message).toContain("new: not restored, and created if released");
  });

  test.each<{ reason: string; release?: string; mark?: string; is: unknown }>([
    { reason: "stays", is: [OBSERVE, HELD] },
    {
      reason: "is released with the policies that it had, so that the next reconcile can delete it",
      release: "uid-now/*",
      is: [FULL, undefined],
    },
    {
      reason: "never writes where these are not known",
      release: "uid-now/a",
      mark: "held=?",
      is: [OBSERVE, undefined],
    },
  ])("one that is no longer desired $reason", ({ release, mark = HELD, is }) => {
    const draft = draftOf({
      observed: { a: { ...found, mark }, b: found },
      desired: { b: desired },
      ...(release && { release }),
    });
    expect(desiredIn(draft, "a")).toEqual(is);
  });
});
