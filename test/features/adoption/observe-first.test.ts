import { describe, expect, test } from "vitest";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { ADOPTION, RESTORED } from "../../../src/ownership/annotations.ts";
import { RELEASE } from "../../../src/records/restored.ts";
import {
  bucket,
  composedCall,
  controlledBy,
  referring,
  store,
  withMetadata,
} from "../../../testing/builders/composed.ts";
import { at, desiredOf, objectSetBy } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";

const HELD = "held=*";
const FULL: readonly string[] = ["*"];
const OBSERVE: readonly string[] = ["Observe"];
const DELETE: readonly string[] = ["Observe", "Delete"];

interface Managed {
  /** Undefined before the function has seen it. */
  readonly mark?: string;
  readonly policies?: readonly string[];
  /** The condition Synced; `since` is the day of its transition in January, and the restore was on the first. */
  readonly synced?: Readonly<Partial<Record<"status" | "message" | "since", string>>> & { readonly about?: number };
  readonly size?: JsonValue;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

function managed(
  name: string,
  { mark, policies = OBSERVE, synced, size = "small", metadata, ...more }: Managed,
): JsonObject {
  const marks = mark === undefined ? {} : { [RESTORED]: mark };
  const annotations = { "crossplane.io/composition-resource-name": name, ...marks };
  const controller = mark?.startsWith("held=") === true ? controlledBy("uid-now") : {};
  const { status: is = "True", message = "", since = "2026-01-02", about = 2 } = synced ?? {};
  const times = { lastTransitionTime: `${since}T00:00:00Z`, observedGeneration: about };
  const conditions = synced ? [{ type: "Synced", status: is, message, ...times }] : [];
  const forProvider = { size: "small", zones: ["a", "b"] };
  const spec = { managementPolicies: policies, providerConfigRef: { name: "default" }, forProvider, ...more.spec };
  const status = { conditions, atProvider: { size, zones: ["b", "a"] } };
  return bucket(name, { annotations, ...controller, ...metadata }, { spec, status });
}

const found = { mark: HELD, synced: {} };
const desired = { apiVersion: "cloud.example.org/v1", kind: "Bucket", spec: { forProvider: { size: "small" } } };

interface Parts {
  readonly observed: Readonly<Record<string, Managed>>;
  readonly desired?: Readonly<Record<string, JsonObject>>;
  readonly release?: string;
  readonly restore?: string;
  readonly externalNames?: JsonObject;
  /** The conditions that the XR has. */
  readonly shown?: readonly JsonObject[];
  /** What is observed besides managed resources. */
  readonly others?: Readonly<Record<string, JsonObject>>;
}

function draftOf({ observed, desired: wanted = { a: desired, b: desired }, release, others, ...parts }: Parts) {
  const { restore = "ObserveFirst", externalNames, shown = [] } = parts;
  const spec = { adoption: { restore }, ...(externalNames && { externalNames }) };
  const names = Object.keys(observed);
  const own = store(referring(...names));
  const annotations = release === undefined ? {} : { [RELEASE]: release };
  const xr = { ...own, metadata: { ...(own["metadata"] as JsonObject), annotations }, status: { conditions: shown } };
  const all = { ...Object.fromEntries(names.map((name) => [name, managed(name, observed[name] ?? {})])), ...others };
  return runFeature(adoption, composedCall({ xr, observed: all, desired: wanted, spec }));
}

/** The policies and the mark that are desired; undefined where the resource is left as the step before desires it. */
function desiredIn({ resources }: Draft, name: string): readonly unknown[] | string | undefined {
  const edit = resources.get(name);
  if (edit?.is !== "set") return edit?.is;
  const object = objectSetBy(edit) ?? {};
  return [at(object, "spec.managementPolicies"), at(object, `metadata.annotations[${RESTORED}]`)];
}

describe("with restore: ObserveFirst, a managed resource that was restored", () => {
  const WAITING = "1 found, 1 waiting";
  const absent = { status: "False", message: "observe failed: external resource does not exist" };
  const different = { ...found, size: "large" };
  const held = [OBSERVE, HELD];
  const again = [["Observe", "Observe"], HELD];
  const backup = { since: "2025-01-01" };
  const observing = ["Observe", "Delete"];
  const twice: Managed = { mark: HELD, policies: ["Observe", "Observe"], synced: { since: "2025-01-01", about: 1 } };
  const deleting = { deletionTimestamp: "2026-01-02T00:00:00Z" };
  const ITS_MARK = "its mark becomes Crossplane's to remove";
  const released = [[FULL, undefined], "Adopted"] as const;
  const sized = (size: JsonValue, actual: JsonValue) => ({ ...found, spec: { forProvider: { size } }, size: actual });
  const releasedAll = [[FULL, HELD], "Adopted", { release: "uid-now/*" }] as const;
  type Row = [reason: string, a: Managed, is: unknown, says: string, more?: { b?: Managed; release?: string }];
  test.each<Row>([
    ["was not seen before", { policies: FULL }, held, WAITING],
    ["comes from Velero's modifier", { mark: "*" }, held, WAITING],
    ["was looked for, but not marked yet", { mark: "*", synced: {} }, held, WAITING],
    ["had other policies, kept in the mark", { policies: observing }, [OBSERVE, "held=Observe,Delete"], WAITING],
    ["was looked for in the generation before", { mark: HELD, synced: { about: 1 } }, held, WAITING],
    ["has a status from the backup: another generation begins", { mark: HELD, synced: backup }, again, WAITING],
    ["is in the generation that begins so", twice, again, WAITING],
    ["cannot be looked for", { mark: HELD, synced: { status: "False", message: "cannot connect" } }, held, WAITING],
    ["is missing", { mark: HELD, synced: absent }, held, "1 found, 1 missing"],
    ["is different", different, held, "1 found, 1 different"],
    ["is different, and a person has released it", different, [FULL, undefined], "Adopted", { release: "uid-now/a" }],
    [`comes from Velero's modifier, and was released before it came: ${ITS_MARK}`, { mark: "*" }, ...releasedAll],
    ["is different, and was released before", different, held, "1 found, 1 different", { release: "uid-before/a" }],
    ["is different, and another one was released", different, held, "1 different", { release: "uid-now/b" }],
    ["is found, but the other is not", found, held, WAITING, { b: { mark: HELD } }],
    ["is found, and so is the other", found, [FULL, undefined], "Adopted"],
    ["is found: the cloud adds fields to an item", sized([{ a: 1 }], [{ id: "x", a: 1 }]), ...released],
    [
      "is found: the cloud has an item's fields in another order",
      sized([{ a: 1, b: 2 }, 3], [3, { b: 2, a: 1 }]),
      ...released,
    ],
    ["is found: the cloud has formatted a document", sized('{"b": [1],\n "a": 2}', '{"a":2,"b":[1]}'), ...released],
    ["is different in an item's field", sized([{ a: 1 }], [{ a: 2 }]), held, "1 found, 1 different"],
    ["is different by one item more", sized([{ a: 1 }], [{ a: 1 }, { a: 1 }]), held, "1 found, 1 different"],
    ["is found: a document is too deep to compare", sized("[".repeat(1e5), "[".repeat(1e5)), ...released],
    ["is different in a deep document", sized("[".repeat(9e4) + "]".repeat(9e4), "[]"), held, "1 found, 1 different"],
    ["is different in a document", sized('{"a":[1]}', '{"a":[1],"b":2}'), held, "1 found, 1 different"],
    ["is being deleted", { ...different, metadata: deleting }, undefined, "Adopted"],
  ])("%s", (_reason, a, is, says, { b = found, ...release } = {}) => {
    const draft = draftOf({ observed: { a, b }, ...release });
    const [condition] = draft.conditions;
    expect([desiredIn(draft, "a"), condition?.message?.split(":")[0] ?? condition?.reason]).toEqual([is, says]);
  });

  // Only a desired value replaces what Velero wrote, too: without it the resource would observe for ever.
  const since = { status: "True", lastTransitionTime: "2026-01-02T00:00:00Z" };
  const shown = [
    { ...since, type: "Synced" },
    { ...since, type: "ResourcesAdopted", reason: "Adopted" },
  ];
  test.each<[reason: string, a: Managed, is: unknown, more?: Partial<Parts>]>([
    ["as it is", { policies: FULL }, undefined],
    ["with all policies, if its Composition had it until now", found, [FULL, undefined]],
    ["with all policies, if it comes from Velero's modifier", { mark: "*" }, [FULL, HELD]],
    [
      "so, too, if it was restored over a live one, and is read anyway",
      { mark: "*" },
      [FULL, HELD],
      { shown, externalNames: {} },
    ],
    ["as it is, and unread, once the XR has said Adopted", { mark: "*" }, undefined, { shown }],
  ])("is written at once without it: %s", (_reason, a, is, more) => {
    const draft = draftOf({ observed: { a, b: { policies: FULL } }, restore: "Continue", ...more });
    expect([desiredIn(draft, "a"), draft.conditions[0]?.reason]).toEqual([is, "Adopted"]);
  });

  test("says what to do, and names fields without their values", () => {
    const draft = draftOf({ observed: { a: { ...found, size: "large" }, b: found } });
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "RestoreNotConfirmed" }]);
    expect(draft.conditions[0]?.message).toBe(
      "1 found, 1 different: the restored resources are only observed until each is found in the cloud as it is desired; to " +
        "release some sooner, run this command with NAME,NAME replaced by their names in the Composition, or by '*' for all: " +
        `kubectl annotate xstore.apps.example.org store --overwrite ${RELEASE}=uid-now/NAME,NAME; ` +
        "a: the cloud differs in spec.forProvider.size, and is changed once it is released",
    );
  });
});

describe("while resources are only observed", () => {
  test("none is created, except for the function's own records", () => {
    const record = { apiVersion: "v1", kind: "ConfigMap" };
    const draft = draftOf({ observed: { a: found }, desired: { a: desired, new: desired, record } });
    expect([desiredIn(draft, "new"), desiredIn(draft, "record")]).toEqual(["removed", undefined]);
    expect(draft.conditions[0]?.message).toContain("new: not restored; once released, it is created");
  });

  const released = "is released to be deleted with its cloud resource, and not created before, if the cloud has none";
  test.each<[reason: string, is: unknown, release?: string, mark?: string]>([
    ["stays", [OBSERVE, HELD]],
    [released, [DELETE, undefined], "uid-now/*"],
    ["is so where the mark is Velero's, which becomes Crossplane's to remove", [DELETE, HELD], "uid-now/*", "*"],
    [
      "leaves its cloud resource if its policies had no Delete",
      [OBSERVE, undefined],
      "uid-now/*",
      "held=Observe,Create",
    ],
    ["never writes where these are not known", [OBSERVE, undefined], "uid-now/a", "held=?"],
  ])("one that is no longer desired %s", (_reason, is, release, mark = HELD) => {
    const observed = { a: { ...found, mark }, b: found };
    const draft = draftOf({ observed, desired: { b: desired }, ...(release && { release }) });
    expect(desiredIn(draft, "a")).toEqual(is);
  });

  test("one that is no longer desired is not deleted in the cloud if its deletionPolicy is Orphan", () => {
    const release = { desired: { b: desired }, release: "uid-now/*" };
    const draft = draftOf({ observed: { a: { ...found, spec: { deletionPolicy: "Orphan" } }, b: found }, ...release });
    expect(desiredIn(draft, "a")).toEqual([OBSERVE, undefined]);
  });

  test("one that is no longer desired keeps its mark, or each reconcile would be followed by another", () => {
    const annotations = { "crossplane.io/composition-resource-name": "a", [RESTORED]: HELD, [ADOPTION]: "looked" };
    const observed = { a: { ...found, metadata: { annotations } }, b: found };
    expect(at(desiredOf(draftOf({ observed, desired: { b: desired } }), "a"), "metadata.annotations")).toEqual(
      annotations,
    );
  });

  const nestedOf = (reason: string, annotations: JsonObject = {}) => {
    const looked = { type: "Synced", status: "True", lastTransitionTime: "2026-01-02T00:00:00Z" };
    const status = { conditions: [looked, { type: "ResourcesAdopted", status: "False", reason }] };
    const xr = withMetadata(store({ ...referring("x"), status }), {
      name: "n",
      ...controlledBy("uid-now"),
      annotations,
    });
    return { b: managed("b", { mark: "held=*", synced: {} }), n: xr };
  };
  const putBack = nestedOf("Adopted", { [ADOPTION]: "looked" });
  const desiring = { b: desired, n: { kind: "XStore" } };
  test.each<[reason: string, is: string, isKept: boolean, others: NonNullable<Parts["others"]>, more?: Partial<Parts>]>(
    [
      ["no longer desired stays", "RestoreNotConfirmed", true, putBack],
      [
        "no longer desired goes once a person has released it",
        "NoLongerDesired",
        false,
        putBack,
        { release: "uid-now/n" },
      ],
      ["not desired any more only since then goes", "NoLongerDesired", false, nestedOf("Adopted")],
      [
        "desired and holds resources is named for the XRs above",
        "Adopting",
        false,
        nestedOf("ObservingRestored"),
        { desired: desiring },
      ],
    ],
  )("a nested XR that is %s", (_reason, is, isKept, others, more) => {
    const draft = draftOf({ observed: {}, others, desired: { b: desired }, ...more });
    expect([draft.conditions[0]?.reason, draft.resources.get("n")?.is]).toEqual([is, isKept ? "set" : undefined]);
  });
});
