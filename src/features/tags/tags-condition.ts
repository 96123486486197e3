import { annotateCommand, readManagedKind, toCommandOn } from "../../crossplane/managed-resource.ts";
import { OBSERVE } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, findController } from "../../crossplane/metadata.ts";
import { brief, briefError, listSome, sentencesForSome, shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { isObject } from "../../model/json.ts";
import { ALLOW_DELETE, TAKE_OWNERSHIP } from "../../ownership/annotations.ts";
import { type Contender, isCreator } from "../../ownership/contender.ts";
import { isOrphan } from "../../ownership/contenders.ts";
import { faults, fine, type ReasonOf, stops, type Told, tell, toTold, unknown, waits } from "../conditions.ts";
import { FOR_PROVIDER } from "./kinds.ts";
import type { Refusal } from "./limits.ts";
import type { Subject, Subjects } from "./subject.ts";

/** The most resources that a message names. */
const MAX_NAMES = 3;

/** One resource, and the state of its tags. */
export interface Tagged {
  readonly subject: Subject;
  readonly reason: TagReason;
  /** True if this XR decides the resource's tags: it owns the cloud resource, or its managed resource may still write that. */
  readonly isTagged: boolean;
  /** True while the managed resource is held back, since it declares another cloud resource than before. */
  readonly hasMoved: boolean;
  /** Faults of tags that the cloud would refuse. With any, the resource keeps its present tags, or is not created if it does not exist. */
  readonly refusals: readonly Refusal[];
}

/**
 * Makes one condition for all resources. Its message counts the tagged and the ignored resources, and names the others. Its reason is the
 * first of:
 *
 * - InvalidTags, if tags are refused;
 * - that of the first unsettled resource;
 * - FieldNotSet, if an entry of the input is left out;
 * - that of a settled resource, in the order of `last` in KIND;
 * - NothingToTag.
 */
export function toTagsCondition(
  tagged: readonly Tagged[],
  found: Subjects,
  unset: readonly string[],
  tooEarly: readonly string[],
): Told {
  const faulty = new Set(tagged.flatMap(({ refusals }) => refusals.map(({ message }) => message)));
  const refused = [...faulty].map((fault) => ({ is: "InvalidTags", fault }) as const);
  const leftOut = unset.map((field) => ({ is: "FieldNotSet/tag", field }) as const);
  const settled = tagged.map((one) => ({ is: one.reason.is, one }));
  return toTold(KIND, [...refused, ...settled, ...leftOut], (sorted) => [
    summarize(tagged, found),
    ...refused.map((remark) => tell(REASONS, remark)),
    ...sentencesForSome(
      sorted.flatMap((remark) => ("one" in remark && isTold(remark.one) ? [remark.one] : [])),
      MAX_NAMES,
      explain,
    ),
    ...leftOut.map((remark) => tell(REASONS, remark)),
    ...tooEarly,
  ]);
}

const isTold = ({ reason }: Tagged): boolean => reason.is !== "Owned" || reason.others.length > 0;

/** Counts: `3 tagged, 1 owned without tags (BucketPolicy), 1 not tagged, 2 not selected or without tags (AccessKey, Release), 1 ignored (cache)`. */
function summarize(tagged: readonly Tagged[], { untagged, excluded }: Subjects): string {
  const owned = tagged.filter(({ isTagged }) => isTagged);
  const tagless = owned.flatMap(({ subject: { tags, kind } }) => (tags === undefined ? [kind.kind] : []));
  const observed = tagged.filter(({ reason }) => reason.is === "ObservedOnly").length;
  const count = (number: number, what: string, names: readonly string[] = []): readonly string[] =>
    number === 0 ? [] : [`${number} ${what}${names.length === 0 ? "" : ` (${list(names)})`}`];
  return [
    `${owned.length - tagless.length} tagged`,
    ...count(tagless.length, "owned without tags", toKinds(tagless)),
    ...count(observed, "only observed"),
    ...count(tagged.length - owned.length - observed, "not tagged"),
    ...count(untagged.length, "not selected or without tags", toKinds(untagged)),
    ...count(excluded.length, "ignored", excluded),
  ].join(", ");
}

const list = (names: readonly string[]): string => listSome(names, MAX_NAMES, brief);

const toKinds = (kinds: readonly string[]): readonly string[] => [...new Set(kinds)].sort();

function explain({ reason, subject, isTagged, hasMoved }: Tagged): string {
  const { kind: of, observed, resource } = subject;
  const { kind } = of;
  const command = annotateCommand(of, observed);
  const message = observed && shownCondition(observed, "Synced")?.message;
  const owner = "owner" in reason ? reason.owner : undefined;
  const facts: Facts = {
    kind,
    name: brief(stringAt(subject.desired, EXTERNAL_NAME) ?? ""),
    by: owner ? describe(owner, kind) : "",
    // A managed resource that existed before this step keeps its tags, and its policies except Delete.
    meanwhile: isTagged ? "this XR manages and tags it as before, but without Delete" : "this XR only observes it",
    consequence: subject.ownership().hasManagementPolicies
      ? ", so this XR only observes it"
      : `; a ${kind} has no managementPolicies, so this XR repeats the owner's tags, and does not delete the cloud resource`,
    synced: message ? ` (Synced says: ${briefError(message)})` : "",
    takeOver: `to move ownership here: ${command} --overwrite ${TAKE_OWNERSHIP}="$(date -u +%FT%TZ)"`,
    allowDelete: `to delete it with this XR: ${command} ${ALLOW_DELETE}=true`,
  };
  const [ours, theirs] = [observed, owner?.document].map((one) => one && findController(one)?.uid);
  const rest = [
    owner && distinguish(subject, owner),
    theirs !== undefined && ours === theirs && COMPOSES_BOTH,
    explainOrphan(reason),
    hasMoved && explainLeft(subject),
  ];
  return `${brief(resource)}: ${tell(REASONS, { ...reason, ...facts })}${rest.filter(Boolean).join("")}`;
}

/** The remedy where the owner is another composed resource of this XR. */
const COMPOSES_BOTH =
  "; this XR composes both: unless one replaces the other, give them different external names in the Composition";

/** Names the cloud resource that this XR created under another external name, and leaves behind; "" if there is none. */
function explainLeft({ kind: { kind }, desired, ownership }: Subject): string {
  const { own } = ownership();
  const [former, name] = [own && stringAt(own.document, EXTERNAL_NAME), stringAt(desired, EXTERNAL_NAME)];
  if (own === undefined || former === undefined || former === name) return "";
  if (!isCreator(own.document) || own.acknowledged.size > 0) return "";
  return `; ${kind} ${brief(former)}, which this XR created, stays in the cloud: delete it there unless something needs it`;
}

/** Explains how a person removes an orphan, a contender that writes and that no XR controls, so that no XR can stop it; "" without one. */
function explainOrphan(reason: TagReason): string {
  const involved = "owner" in reason && reason.owner ? [reason.owner] : reason.is === "Owned" ? reason.others : [];
  const orphan = involved.find(isOrphan);
  if (orphan === undefined) return "";
  const { document, name, policies } = orphan;
  const kind = readManagedKind(document);
  const spec = policies === undefined ? { deletionPolicy: "Orphan" } : { managementPolicies: OBSERVE };
  const patch = toCommandOn("patch", kind, document, "--type=merge", "-p", JSON.stringify({ spec }));
  return (
    `; no XR controls ${kind.kind} ${brief(name)}, as after kubectl delete --cascade=orphan; unless its XR is about to be restored, ` +
    `delete that ${kind.kind} by this command, which keeps the cloud resource: ${patch} && ${toCommandOn("delete", kind, document)}`
  );
}

/** Matches the names of fields that probably identify the parent of a cloud resource. */
const LIKELY = /(?:Id|ID|Name|Arn|Ref|Uid)$/;

/** Names the fields in which ours and the owner differ, the likely fields first, for a kind in no table; otherwise "". */
function distinguish({ facts, desired }: Subject, { document }: Contender): string {
  if (!facts.isUnknownKind) return "";
  const [ours, theirs] = [desired, document].map((each) => each.at(FOR_PROVIDER));
  if (!(isObject(ours) && isObject(theirs))) return "";
  const fields = Object.keys(ours).filter((field) => typeof ours[field] === "string" && ours[field] !== theirs[field]);
  if (fields.length === 0) return "";
  const paths = [true, false]
    .flatMap((isLikely) => fields.filter((field) => LIKELY.test(field) === isLikely).toSorted())
    .map((field) => `spec.forProvider.${brief(field)}`);
  return `; if these are two cloud resources, add the fields that distinguish them to tags.resources[].scopeFieldPaths: ${list(paths)}`;
}

/** The facts that every sentence may use, as texts. */
type Facts = Readonly<
  Record<"kind" | "name" | "by" | "meanwhile" | "consequence" | "synced" | "takeOver" | "allowDelete", string>
>;

function describe({ owner, name, createdAt }: Contender, kind: string): string {
  const since = createdAt === "" ? "" : ` of ${createdAt}`;
  return `${owner === "" ? "another managed resource" : brief(owner)} (${kind} ${brief(name)}${since})`;
}

const toAddStep = (kind: string): string =>
  `in the Composition that composes that ${kind}, add a step of this function whose tags select that ${kind}, or set ` +
  "spec.managementPolicies: [Observe] on it";

/** The facts where another XR owns the cloud resource. */
interface Theirs extends Facts {
  readonly owner: Contender;
}

/** The reasons for the state of a resource's tags. Their sentences say who owns the cloud resource, and how to move ownership here. */
const REASONS = {
  ...stops({
    Conflict: ({ by, takeOver }: Theirs) => `cannot go on: ${by} owns it, and onConflict is Fail; ${takeOver}`,
  }),
  ...unknown({
    WaitingForRequiredResources: ({ kind }: Facts) =>
      `waiting for Crossplane to look up other managed resources for the same ${kind}`,
  }),
  ...waits({
    Arbitrating: ({ meanwhile }: Facts) => `${meanwhile} until the next reconcile shows that no other XR owns it`,
  }),
  ...faults({
    InvalidTags: ({ fault }: { readonly fault: string }) => fault,
    ExistedBefore: ({ takeOver, allowDelete }: Facts) =>
      `existed before this XR, and its provider does not report who else writes it, so this XR only observes it; ${takeOver}; ${allowDelete}`,
    /** `owner` is set if another XR owns the cloud resource. */
    WaitingForProvider: ({ owner, by, meanwhile, synced, takeOver }: Facts & { readonly owner?: Contender }) =>
      owner === undefined
        ? `${meanwhile} until the provider has looked for it${synced}`
        : `${by} owns it, and the provider has not found it for this XR yet${synced}; ${takeOver}`,
    WaitingForReferences: ({ kind, synced }: Facts) =>
      `this XR only observes it until the provider has resolved the references that identify the ${kind}${synced}`,
    /** `isCreating`: the provider of the other managed resource has not found a cloud resource yet, and may be creating this one. */
    AccountUnknown: ({ by, meanwhile, isCreating }: Theirs & { readonly isCreating: boolean }) =>
      `${by} declares the same name with another ProviderConfig, and nothing tells whether both ProviderConfigs are for one account: ` +
      `set tags.owner.account in both Compositions; until then ${isCreating ? meanwhile : "this XR writes it"}`,
    NotFound: ({ kind, name }: Facts) =>
      `the pipeline imports ${kind} ${name}, which does not exist. Nothing is created, since the provider would choose another name. ` +
      `Correct the external name, or leave it out to have a new ${kind} created`,
    BeingDeleted: () => "the managed resource is being deleted; if this stays, look at its finalizers",
    FieldNotSet: () =>
      "tags.owner.cluster or tags.owner.account reads a field that is not set; until it is set, the resource keeps its tags and policies",
    "FieldNotSet/tag": ({ field }: { readonly field: string }) => `${field} is not set, so its tag is left out`,
    OwnedByAnotherCluster: ({ cluster, consequence, takeOver }: Facts & { readonly cluster: string }) =>
      `control plane ${brief(cluster)} owns it according to its tags${consequence}; that control plane does not know this XR, and may delete the cloud resource; ${takeOver}`,
    Withheld: ({ by }: Theirs) =>
      `${by} owns it, so this XR does not compose it: onConflict is Withhold, or the kind has no managementPolicies`,
    WrittenByAnother: ({ by, kind, owner }: Theirs) =>
      `this XR owns it, and ${by} writes it, too, since no step with tags selects that ${kind} any more. ` +
      `${owner.mayDelete ? "When that XR is deleted, the cloud resource is deleted, too. " : ""}To prevent this, ${toAddStep(kind)}`,
    CannotObserve: ({ by, consequence }: Theirs) => `${by} owns it${consequence}; declare it in one XR only`,
    WaitingForOwner: ({ by, kind, owner, isNext, takeOver }: Theirs & { readonly isNext: boolean }) => {
      if (isNext && owner.isDeleting)
        return `this XR waits until ${by} and the cloud resource are deleted; if that ${kind} is paused, unpause it`;
      const hasStep = owner.owner !== "";
      const step = toAddStep(kind);
      const isPaused = "if that XR is paused, unpause it";
      const pause = `or pause its ${kind}, too, so that the ${kind} no longer writes`;
      if (isNext) return `this XR waits for ${by} to stop writing it; ${hasStep ? `${isPaused}, ${pause}` : step}`;
      const rest = isOrphan(owner) ? takeOver : hasStep ? isPaused : step;
      return `${by} owns it, and has not listed this XR as a successor yet; ${rest}`;
    },
  }),
  ...fine({
    ObservedOnly: ({ by, consequence, takeOver }: Theirs) => `${by} owns it${consequence}; ${takeOver}`,
    "ExistedBefore/kept": ({ allowDelete }: Facts) =>
      `existed before this XR, so it stays when this XR is deleted; ${allowDelete}`,
    /** `others`: the contenders that observe the cloud resource. */
    Owned: ({ others }: { readonly others: readonly Contender[] }) =>
      `shared with ${listSome(others, MAX_NAMES, ({ owner, name }) => brief(owner || name))}`,
    NothingToTag: () => "",
  }),
};

/** The condition. Reasons of unsettled resources come first, sorted by the resource's name; then those in `last`, in that order. */
const KIND = {
  type: "TagsOwned",
  target: "CompositeAndClaim",
  reasons: REASONS,
  otherwise: "NothingToTag",
  last: ["ObservedOnly", "ExistedBefore/kept", "Owned"],
} as const;

/** The state of one resource's tags. */
export type TagReason = ReasonOf<typeof REASONS, keyof Facts>;
