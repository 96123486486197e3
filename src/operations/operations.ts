import { qualifiedName, readAnnotation, readUid } from "../crossplane/metadata.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { invalidInput } from "../input/faults.ts";
import type { Input } from "../input/schema.ts";
import { compareTexts } from "../model/collections.ts";
import { listSome, MAX_NAMES, type Result, shownCondition } from "../model/condition.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { type Draft, emptyDraft, withObjects, withResults } from "../model/draft.ts";
import { hashText } from "../model/hash.ts";
import { toPlainText } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import type { Request } from "../model/request.ts";
import type { Requirements } from "../model/requirement.ts";

/** One call of an Operation, which has no XR. Crossplane applies each desired resource, also to an existing one of that name. */
export interface OperationCall {
  readonly request: Request;
  readonly input: Input;
  readonly requirements: Requirements;
}

/** The fields that an Operation's input may have: its own section, and fields with a default. */
const OPERATION_FIELDS: readonly string[] = ["neverReconciled", "responseTTL", "contextKey"];

/** @throws {FunctionError} `InvalidInput` for sections of the input that need an XR. */
export function operate(call: OperationCall): Draft {
  const isEmpty = (found: unknown): boolean => Array.isArray(found) && found.length === 0; // the default of sharedResources
  const faults = Object.entries(call.input.spec)
    .filter(([field, found]) => !OPERATION_FIELDS.includes(field) && found !== undefined && !isEmpty(found))
    .map(([field]) => ({ path: `spec.${field}`, message: "not allowed in an Operation, which has no XR" }));
  if (faults.length > 0) throw invalidInput(faults);
  return reportNeverReconciled(call);
}

/** Recognizes an Operation's call. @throws {FunctionError} `InvalidInput` if a Composition has the Operations' section. */
export function isOperation({ request, input }: OperationCall): boolean {
  if (input.spec.neverReconciled === undefined) return false;
  if (request.observed.composite.document.at(["kind"]) === undefined) return true; // it has no XR
  throw invalidInput([{ path: "spec.neverReconciled", message: "allowed in an Operation only" }]);
}

const XRD = { apiVersion: "apiextensions.crossplane.io/v2", kind: "CompositeResourceDefinition" } as const;

/** Annotation of an XRD: a hash of the XRs for which this function has nudged it. */
export const NUDGED_FOR = `${DOMAIN}/nudged-for`;

/**
 * Finds the XRs without a condition `Synced`, which Crossplane has never reconciled, and nudges their XRDs by an annotation:
 * Crossplane may have lost the watch of their kind (crossplane#5400). New XRs count, too, since a function has no clock.
 *
 * The annotation is a hash of the XRs' UIDs: the same XRs nudge their XRD once. If that does not help, an operator has to look.
 */
function reportNeverReconciled({ input, requirements }: OperationCall): Draft {
  const { definitions: selected, onFound } = input.spec.neverReconciled ?? {};
  const looked = selected && lookUpDefinitions(selected.matchLabels, requirements);
  if (looked === undefined) return emptyDraft;
  const found = looked.filter(({ composites }) => composites.length > 0);
  const nudges = found.filter(({ isNudged }) => onFound === "Nudge" && !isNudged).map(toNudge);
  // The output for the Operation's status: names of XRs by XRD.
  const neverReconciled = Object.fromEntries(found.map(({ name, composites }) => [name, composites]));
  const fine = toResult("Reconciled", `all XRs of ${looked.length} XRDs have been reconciled`);
  const results = found.length === 0 ? [fine] : found.map(toWarning);
  return { ...withResults(withObjects(emptyDraft, nudges), results), output: { neverReconciled } };
}

/** Looks up the XRDs with these labels, and all their XRs; undefined until Crossplane has looked up all of them. */
function lookUpDefinitions(labels: Readonly<Record<string, string>>, requirements: Requirements) {
  const answer = requirements.ask(toRequirement("never-reconciled/definitions", { ...XRD, match: { labels } }));
  if (answer.is === "pending") return undefined;
  const definitions = answer.items.flatMap(toDefinition).sort((a, b) => compareTexts(a.name, b.name));
  const looked = definitions.flatMap(({ name, apiVersion, kind, nudgedFor }) => {
    const all = { apiVersion, kind, match: { labels: {} } };
    const found = requirements.ask(toRequirement(`never-reconciled/composites/${name}`, all));
    return found.is === "pending" ? [] : [findNeverReconciled(name, nudgedFor, found.items)];
  });
  return looked.length < definitions.length ? undefined : looked;
}

// Server-side apply leaves the rest of the XRD unchanged.
const toNudge = ({ name, nudge }: NeverReconciled) =>
  [`nudge/${name}`, { ...XRD, metadata: { name, annotations: { [NUDGED_FOR]: nudge } } }] as const;

/** Reads an XRD. Leaves it out until its kind is served: to require a missing kind would fail the whole Operation. */
function toDefinition(document: Document) {
  const name = stringAt(document, ["metadata", "name"]);
  const group = stringAt(document, ["spec", "group"]);
  const kind = stringAt(document, ["spec", "names", "kind"]);
  const version = objectsAt(document, ["spec", "versions"]).find(({ referenceable }) => referenceable === true);
  const isEstablished = shownCondition(document, "Established")?.status === "True";
  if (!isEstablished || name === undefined || group === undefined || kind === undefined || version === undefined)
    return [];
  const apiVersion = `${group}/${toPlainText(version["name"])}`;
  return [{ name, apiVersion, kind, nudgedFor: readAnnotation(document, NUDGED_FOR) }];
}

type NeverReconciled = ReturnType<typeof findNeverReconciled>;

/** Finds the XRs of an XRD that were never reconciled. `isNudged`: the XRD has been nudged for the same XRs. */
function findNeverReconciled(name: string, nudgedFor: string | undefined, all: readonly Document[]) {
  const never = all.filter((composite) => shownCondition(composite, "Synced") === undefined);
  const uids = never.map((composite) => readUid(composite) ?? qualifiedName(composite));
  const nudge = hashText(uids.sort().join(), 16);
  return { name, composites: never.map(qualifiedName).sort(), nudge, isNudged: nudge === nudgedFor };
}

function toWarning({ name, composites, isNudged }: NeverReconciled): Result {
  const found = `${name}: never reconciled: ${listSome(composites, MAX_NAMES, String)}`;
  if (!isNudged) return toResult("NeverReconciled", found);
  const hint = "look at Crossplane's log, and restart Crossplane if the log says nothing";
  return toResult("StillNotReconciled", `${found}; the XRD was already nudged for these XRs: ${hint}`);
}

const toResult = (reason: string, message: string): Result => ({
  severity: reason === "Reconciled" ? "Normal" : "Warning",
  reason,
  message,
  target: "Composite",
});
