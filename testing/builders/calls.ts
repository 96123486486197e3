import { toComposite } from "../../src/crossplane/composite.ts";
import { readSharedResource } from "../../src/crossplane/copies.ts";
import type { Reference } from "../../src/crossplane/references.ts";
import { sharing } from "../../src/features/sharing/sharing.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { copying } from "./copies.ts";
import { ACCEPT, namespaceOf } from "./kubernetes.ts";
import { toBaseName } from "./read-draft.ts";
import { resourceOf, resourcesOf } from "./request.ts";
import { type NewCall, runFeature } from "./run-feature.ts";
import { database, inputOf, shared, xr } from "./sharing.ts";

// Calls of features: what Crossplane has observed, what it answers, and what the input says.

/** What Crossplane v2.2 says that it can do. */
export const V2 = ["Capabilities", "RequiredResources"] as const;

export interface CallParts {
  readonly xr?: JsonObject;
  readonly sharedResources?: readonly JsonObject[];
  /**
   * Answers by shared resource name, or the rest of another requirement's name. One that is not here is pending; but a
   * target that is not here is free.
   */
  readonly answers?: Readonly<Record<string, readonly JsonObject[] | "pending">>;
  /** Namespaces that take copies from everybody; others are pending. */
  readonly spaces?: readonly string[];
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly context?: JsonObject;
  readonly capabilities?: readonly Capability[];
  readonly responseTTL?: string;
  /** More of the input's spec. */
  readonly spec?: JsonObject;
  /** The resources that earlier steps desire. */
  readonly desired?: Readonly<Record<string, JsonObject>>;
  /** What earlier steps desire of the XR. */
  readonly desiredXr?: JsonObject;
  /** Who else stands for the same cloud resource, whichever it is; undefined is pending. */
  readonly contenders?: readonly JsonObject[];
  /** Schemas by kind, or by version and kind; one that is not here is pending, and one that is null is not served. */
  readonly schemas?: Readonly<Record<string, JsonObject | null>>;
  /** Makes the documents of the request. */
  readonly toDocument?: typeof documentOf;
  readonly tags?: JsonObject;
}

export function callOf(parts: CallParts): NewCall {
  const { observed = {}, capabilities = [], sharedResources = [shared()], responseTTL = "60s" } = parts;
  const { tags, schemas = {}, toDocument = documentOf } = parts;
  const composite = resourceOf(parts.xr ?? xr(), toDocument);
  const all = { ...recordOf(observed), ...observed };
  return {
    composite: toComposite(composite.document),
    input: parseInput(inputOf({ responseTTL, sharedResources, ...parts.spec, ...(tags && { tags }) })),
    request: {
      tag: "test",
      capabilities: new Set(capabilities),
      observed: { composite, resources: resourcesOf(all) },
      desired: {
        composite: resourceOf(parts.desiredXr ?? {}),
        resources: resourcesOf(parts.desired ?? {}, toDocument),
      },
      input: documentOf({}),
      context: toDocument(parts.context ?? {}),
      requiredSchema: (name) => {
        const [version = "", kind = ""] = name.split("/").slice(-2);
        const schema = [`${version}/${kind}`, kind].map((key) => schemas[key]).find((found) => found !== undefined);
        if (schema === null) return { is: "unknown" };
        return schema === undefined ? { is: "pending" } : { is: "resolved", schema: documentOf(schema) };
      },
      required: (name) => {
        const items = answerTo(toBaseName(name), parts);
        return items === "pending"
          ? { is: "pending" }
          : { is: "resolved", items: items.map((item) => toDocument(item)) };
      },
    },
  };
}

/** The resources that Crossplane finds for a requirement, whose name is without its hash. */
function answerTo(name: string, parts: CallParts): readonly JsonObject[] | "pending" {
  const { answers = {}, contenders = "pending", spaces = [] } = parts;
  if (name.startsWith("tags/first/")) return answers["first"] ?? "pending";
  if (name.startsWith("tags/")) return answers[name.split("/").at(-1) ?? ""] ?? contenders;
  const [kind, space = ""] = name.split("/");
  if (kind === "namespace" && spaces.includes(space)) return [namespaceOf(space, { [ACCEPT]: "*" })];
  return answers[name.replace("shared-resource/", "")] ?? (name.endsWith("/target") ? [] : "pending");
}

/** The record of an XR with these copies: it is bound to what they are made from. */
function recordOf(observed: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> {
  const copies = Object.entries(observed).flatMap(([key, object]) => {
    const origin = readSharedResource(documentOf(object));
    return origin === undefined ? [] : [[key.split("/")[1] ?? "", origin] as const];
  });
  return copies.length === 0 ? {} : { [RECORD_NAME]: boundTo(Object.fromEntries(copies)) };
}

/** A record with which an XR is bound to resources, by share. */
export function boundTo(resources: Readonly<Record<string, Omit<Reference, "namespace">>>): JsonObject {
  const bindingOf = (resource: object): string => JSON.stringify([{ ...resource, access: "Granted" }]);
  return { data: Object.fromEntries(Object.entries(resources).map(([share, one]) => [share, bindingOf(one)])) };
}

/** Runs the feature, and leaves the record out of what it composes. */
export function runSharing(call: NewCall): Draft {
  const draft = runFeature(sharing, call);
  if (!draft.resources.has(RECORD_NAME)) return draft;
  return { ...draft, resources: new Map([...draft.resources].filter(([name]) => name !== RECORD_NAME)) };
}

export const sharingDraft = (parts: CallParts): Draft => runSharing(callOf(parts));

/** Runs the feature on Crossplane v2 for one copy of the database's Secret, with more fields of the input. */
export const draftOfCopy = (copy: JsonObject, parts: CallParts = {}): Draft =>
  sharingDraft({
    capabilities: V2,
    sharedResources: [copying(copy)],
    ...parts,
    answers: { db: [database()], ...parts.answers },
  });
