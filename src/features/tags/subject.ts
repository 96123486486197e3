import { COPY_KINDS, COPY_PREFIX } from "../../crossplane/copies.ts";
import { CREATION, type ManagedKind } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, isObserver, type Policies, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, NAME, readAnnotation, readLabel } from "../../crossplane/metadata.ts";
import type { IdentityFacts, KindFacts } from "../../crossplane/providers/families.ts";
import type { Tags } from "../../input/tags.ts";
import { compareEntries } from "../../model/collections.ts";
import { type Document, stringAt, type ValueEdit } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { toMatcher } from "../../model/glob.ts";
import { isObject, pick } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import { isFromInput, readScope } from "../../ownership/added-scope.ts";
import { DECISIONS, IDENTITY_LABEL, IGNORE_TAGS, MARKS, SHARED_FROM } from "../../ownership/annotations.ts";
import { type Contender, isCreator, toContender } from "../../ownership/contender.ts";
import type { DeclaredResource, DesiredAndObserved } from "../../ownership/fields.ts";
import { type Candidate, type CloudResource, readCloudResource } from "../../ownership/identity.ts";
import { desiredSoFar, observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { resolveString } from "../value.ts";
import { FOR_PROVIDER, findTags, type KnownKind, kindsFor, type ResourceTags } from "./kinds.ts";

/** A desired resource that the input may select. */
interface Wish extends DesiredAndObserved {
  /** The resource's name in the Composition. */
  readonly resource: string;
  /** The policies that earlier steps desire. */
  readonly asked: Policies;
  /** True while a new name in the Composition takes over from the old one, for the resources of both names. */
  readonly isRenamed: boolean;
  /** True if an earlier step of this function has decided who owns the cloud resource, so that this step decides the tags only. */
  readonly isDecided: boolean;
}

/** A desired managed resource whose ownership is to be settled. */
export interface Subject extends Wish, DeclaredResource, Pick<Candidate, "kind" | "isMadeUp" | "isImported"> {
  readonly cloud: KindFacts["cloud"];
  readonly reportsTags: boolean;
  /** True if the pipeline or the record sets the external name; false if the provider chose it. */
  readonly isNamed: boolean;
  /** Reads the facts that decide who owns the cloud resource. Lazy: no other XR declares most of what an XR composes. */
  readonly ownership: () => Ownership;
  /** The tags and their field; undefined for a kind without tags. */
  readonly tags: ResourceTags | undefined;
}

interface Ownership extends Pick<Candidate, "hasManagementPolicies"> {
  /** Undefined if no other XR can declare it, or an earlier step has decided its owner; "unresolved" as in `readCloudResource`. */
  readonly cloudResource: CloudResource | "unresolved" | undefined;
  /** The observed managed resource; undefined before it is created, and if `cloudResource` is undefined. */
  readonly own: Contender | undefined;
}

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** The resources for which an earlier step desires marks, without these marks. */
  readonly unmarked: readonly (readonly [resource: string, document: Document])[];
  /** Kinds that the input does not select, and kinds without a known tag field whose cloud resources no other XR can declare. */
  readonly untagged: readonly string[];
  /** Resources that the pipeline only observes, that the input or IGNORE_TAGS excludes, or whose tags an earlier step leaves alone. */
  readonly excluded: readonly string[];
}

/**
 * Finds the desired resources to tag: those that the input selects and whose kind has a tag field. The field has to be named by the
 * input, set already, or listed in our table or the kind's schema: one that the schema lacks would fail the whole XR. Kinds without
 * a tag field are included if other XRs can declare their cloud resources. Copies of Secrets, and resources that the pipeline only
 * observes, are left out.
 *
 * @param decided the resources whose ownership an earlier step has decided; true if this step may change their tags.
 * @param renamed the names of resources that hand over or take over, which are included although no step may desire them.
 */
export function findSubjects(
  { resources, ignore, owner }: Tags,
  call: Call,
  draft: Draft,
  decided: ReadonlyMap<string, boolean>,
  renamed: ReadonlySet<string> = new Set(),
): Subjects {
  const named = owner.account && resolveString(owner.account, call);
  const account = named?.is === "set" ? named.value : undefined;
  const toKind = kindsFor(resources, call);
  const ignored = ignore.map(toMatcher);
  const subjects: Subject[] = [];
  const unmarked: [string, Document][] = [];
  const untagged: string[] = [];
  const excluded: string[] = [];
  const found = [...desiredSoFar(call, draft)]
    .filter(([resource]) => call.request.desired.resources.has(resource) || renamed.has(resource))
    .filter(([resource, marked]) => !isCopyOfSecret(resource, marked))
    .sort(compareEntries); // Go's map order is random
  for (const [resource, marked] of found) {
    const known = toKind(marked);
    // Nested XRs and native kinds lack the field that all managed resources have.
    const isManaged = lazy(() => marked.at(FOR_PROVIDER) !== undefined);
    const isDecided = decided.has(resource);
    const desired = withoutMarks(marked, () => !isDecided && known.rule !== undefined && isManaged());
    if (desired !== marked) unmarked.push([resource, desired]);
    const wish = { ...toWish(resource, desired, known.kind, call), isRenamed: renamed.has(resource), isDecided };
    if (decided.get(resource) === false || isExcluded(wish, ignored)) {
      excluded.push(resource);
      continue;
    }
    const subject = toSubject(wish, known, account, call);
    if (subject !== undefined) subjects.push(subject);
    else if (isManaged()) untagged.push(known.kind.kind);
  }
  return { subjects, unmarked, untagged, excluded };
}

/**
 * Makes the wish for a resource. If an object of another kind is observed under its name in the Composition, the wish has the metadata.name
 * of that object: Crossplane gives this name to the resource, and many providers take it for the external name.
 */
function toWish(resource: string, desired: Document, kind: ManagedKind, call: Call) {
  const asked = readPolicies(desired) ?? ALL_ACTIONS;
  const observed = observedAs(resource, kind, call);
  const other = observed === undefined ? call.request.observed.resources.get(resource)?.document : undefined;
  const name = other && stringAt(other, NAME);
  return { resource, desired: name ? desired.with([{ path: NAME, value: name }]) : desired, observed, asked };
}

const COPIED_FROM = [...FOR_PROVIDER, "manifest", "metadata", "annotations", SHARED_FROM];

/**
 * Tells whether a resource makes a copy of a Secret for `sharedResources`. Neither its name nor the annotation alone shows that: a
 * Composition chooses names, and may copy annotations into a manifest.
 */
const isCopyOfSecret = (resource: string, desired: Document): boolean =>
  resource.startsWith(COPY_PREFIX) &&
  stringAt(desired, ["kind"]) === COPY_KINDS.Object.kind &&
  desired.at(COPIED_FROM) !== undefined;

const MARKED: readonly FieldPath[] = ["labels", "annotations"].map((field) => ["metadata", field]);

/**
 * Removes ownership marks, operators' decisions and providers' records of a creation that an earlier step desires: a Composition may
 * copy them from an XR, which a team writes.
 *
 * @param writesMarks tells whether this step writes the resource's marks. Otherwise the marks stay: an earlier step may have written them.
 */
function withoutMarks(desired: Document, writesMarks: () => boolean): Document {
  const isMark = (key: string): boolean =>
    DECISIONS.has(key) || key.startsWith(CREATION) || (MARKS.has(key) && writesMarks());
  const edits = MARKED.flatMap((path): readonly ValueEdit[] => {
    const texts = desired.at(path);
    if (!isObject(texts) || !Object.keys(texts).some(isMark)) return [];
    return [{ path, value: pick(texts, (key) => !isMark(key)) }];
  });
  return edits.length === 0 ? desired : desired.with(edits);
}

function isExcluded(
  { resource, observed, asked, isRenamed }: Wish,
  ignored: readonly ((text: string) => boolean)[],
): boolean {
  // A resource that hands over is desired as observed. If it only observes, this function may have held it back.
  if ((isObserver(asked) && !isRenamed) || ignored.some((fits) => fits(resource))) return true;
  return observed !== undefined && readAnnotation(observed, IGNORE_TAGS)?.toLowerCase() === "true";
}

/**
 * Makes a subject. Undefined if the input does not select the kind, if neither the input nor our tables describe it, or if the resource has
 * neither tags nor an owner to settle.
 */
function toSubject(wish: Wish, known: KnownKind, account: string | undefined, call: Call): Subject | undefined {
  const { kind, rule, facts } = known;
  const { identity, cloud, reportsTags, isNamedById } = facts;
  if (rule === undefined || (rule.fieldPath === undefined && cloud === undefined)) return undefined;
  const tags = findTags(known, wish, call);
  const named = readChosenName(call.request.desired.resources.get(wish.resource)?.document, wish, identity);
  const declared = { ...wish, facts: identity, ...named, account, namespace: call.composite.namespace };
  const ownership = lazy((): Ownership => {
    const cloudResource = wish.isDecided ? undefined : readBySchema(declared, known);
    const own = cloudResource && wish.observed ? toContender(wish.observed) : undefined;
    // The API server sets a default for every kind that has them.
    const hasManagementPolicies = rule.managementPolicies && (own === undefined || own.policies !== undefined);
    return { cloudResource, own, hasManagementPolicies };
  });
  // For a kind in no table it is not known whether other XRs can declare the cloud resource, so without tags it is left alone.
  if (tags === undefined && (ownership().cloudResource === undefined || identity.isUnknownKind)) return undefined;
  return { ...declared, isImported: named.isNamed && isNamedById, kind, tags, cloud, reportsTags, ownership };
}

type Declared = DeclaredResource & Pick<Subject, "isMadeUp">;

/**
 * Reads the cloud resource. A kind in no table is also identified by the fields that have a reference beside them in its schema
 * (`askReferable`). The names of these fields are noted in the annotation SCOPE, so that the schema is looked up once, and a provider
 * version that adds references does not change the identity.
 */
function readBySchema(declared: Declared, { askFields }: KnownKind) {
  const { observed, facts } = declared;
  const readWith = (added: ReadonlySet<string>) => readUnlessNew({ ...declared, facts: { ...facts, added } });
  const noted = askFields && observed && readScope(observed);
  if (noted && !isFromInput(noted)) return readWith(noted);
  const read = readUnlessNew(declared);
  if (typeof read !== "object" || askFields === undefined) return read;
  const added = askFields();
  if (added === "pending") return { ...read, isProvisional: true };
  return added === undefined ? read : readWith(added);
}

/** Reads the cloud resource. In place of "unresolved", undefined for a cloud resource just created: no other XR knows its name yet. */
function readUnlessNew(declared: Declared) {
  const read = readCloudResource(declared);
  const isNew = declared.isMadeUp && declared.observed && readLabel(declared.observed, IDENTITY_LABEL) === undefined;
  return isNew && read === "unresolved" ? undefined : read;
}

/**
 * Reads the external name that the provider chose (`chosen`): the observed name, unless a step sets one. (`externalNames` only repeats the
 * observed name.) It counts once the cloud resource is created, since another XR can import that.
 */
function readChosenName(composed: Document | undefined, wish: Wish, { name }: IdentityFacts) {
  const { desired, observed } = wish;
  const chosen = observed && stringAt(observed, EXTERNAL_NAME);
  const wanted = stringAt(desired, EXTERNAL_NAME);
  const isOther = wanted !== undefined && wanted !== chosen;
  const isNamed = isOther || stringAt(composed ?? desired, EXTERNAL_NAME) !== undefined;
  if (observed === undefined || chosen === undefined || isNamed) return { isMadeUp: false, isNamed };
  const isByName = name.is === "externalName" && name.defaultsToName && stringAt(desired, NAME) !== undefined;
  const isMadeUp = name.is === "externalName" && !isByName && isCreator(observed);
  const counts = isMadeUp || readLabel(observed, IDENTITY_LABEL) !== undefined;
  return { chosen: counts ? chosen : "", isMadeUp, isNamed };
}
