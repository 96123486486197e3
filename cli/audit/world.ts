import type { Composite } from "../../src/crossplane/composite.ts";
import { COMPOSITION_RESOURCE_NAME } from "../../src/crossplane/metadata.ts";
import { formatReference, type Reference, toReference } from "../../src/crossplane/references.ts";
import { compareTexts } from "../../src/model/collections.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { toWord } from "../../src/model/shell.ts";

/** The cluster's state when it was read; findings are made from nothing else. */
export interface World {
  /** All XRs, whole. */
  readonly composites: readonly Composite[];
  readonly findComposer: (document: Document) => Composer;
  /** Metadata of everything with Crossplane's label, XRs included, by key. */
  readonly labelled: ReadonlyMap<string, Document>;
  /** Metadata of managed resources without this function's label, of kinds that have some with it. */
  readonly unregistered: readonly Document[];
  /** Metadata of unlabelled objects that XRs refer to, or why there is none; lacks those that could not be read. */
  readonly referred: ReadonlyMap<string, Document | "missing" | "kindMissing">;
  /** The namespaces that are being deleted, of those in which something composed is being deleted. */
  readonly leaving: ReadonlySet<string>;
  /** The kinds that could not be looked at, and why; `isComposed`: managed resources, XRs, and kinds that some XR refers to. */
  readonly notLookedAt: readonly { readonly message: string; readonly isComposed: boolean }[];
  /** The number of kinds that were listed. */
  readonly kinds: number;
}

/** The XRs that may have composed a resource, as far as its metadata tells. */
export interface Composer {
  readonly composites: readonly Composite[];
  /** The XR that composed it, where that is sure. */
  readonly only: Composite | undefined;
}

/** The age from which an XR counts as never reconciled, and a deletion as hanging; and the current time. */
export type Patience = Readonly<Record<"graceMs" | "now", number>>;

/** Faults between an XR and what it composes, in the order in which they are shown. */
export const FINDINGS = {
  Unadopted: "An XR refers to the resource, and nothing controls it.",
  Orphaned:
    "An XR that exists composed it, nothing controls it, and no XR refers to it: Crossplane has forgotten it and will never delete it.",
  StaleController: "Its controller has the UID that its XR had before a restore.",
  ControlledByAnother: "An XR refers to it, and another owner controls it.",
  Dangling: "An XR refers to it, and it does not exist.",
  Unmanaged:
    "Managed resources represent a cloud resource that one of them created, and none of them owns it any more.",
  Unregistered:
    "A managed resource has the external name of one that this function has registered, and lacks its label.",
  Unreferred:
    "It makes a copy of a connection Secret or depends on a grant, and no XR refers to it: Crossplane will never delete it.",
  SharedResourceGone: "It makes a copy of the connection Secret of an XR that does not exist.",
  Hanging: "It is being deleted with its namespace, in which its provider can do nothing any more.",
  NeverReconciled: "The XR has no condition Synced: Crossplane has never finished reconciling it.",
  HeldBack:
    "With --before-removal only: the tags step keeps it from writing or deleting a cloud resource that it must not.",
  Waiting:
    "With --restore: the managed resource is restored and only observes, and its provider has not looked for the cloud resource yet.",
  Missing: "With --restore only: its provider found no cloud resource.",
  Different: "With --restore only: the cloud resource differs from what is desired.",
  Found: "With --restore only: the cloud resource is as it is desired.",
} as const;

type FindingType = keyof typeof FINDINGS;

export interface Finding {
  readonly is: FindingType;
  /** The composed resource; for `NeverReconciled`, the XR. */
  readonly resource: Reference;
  /** Undefined where several XRs could have composed the resource. */
  readonly composite: Reference | undefined;
  /** The resource's name in the Composition, where it carries one. */
  readonly compositionResourceName: string | undefined;
  /** The fault, and its consequence. */
  readonly message: string;
  /** The kubectl command that ends it; undefined where none does, or a person has to decide first. */
  readonly command?: string | undefined;
}

/** Makes a finding about a resource. @param composite the XR that composed it, as far as its metadata tells. */
export const toFinding = (
  is: FindingType,
  document: Document,
  composite: Composite | undefined,
  message: string,
  command?: string,
): Finding => ({
  is,
  resource: toReference(document),
  composite: composite && toReference(composite.document),
  compositionResourceName: stringAt(document, COMPOSITION_RESOURCE_NAME),
  message,
  command,
});

const ORDER = Object.keys(FINDINGS);

export const compareFindings = (a: Finding, b: Finding): number =>
  ORDER.indexOf(a.is) - ORDER.indexOf(b.is) ||
  compareTexts(formatSubject(a), formatSubject(b)) ||
  compareTexts(formatReference(a.resource), formatReference(b.resource));

const formatSubject = ({ composite }: Finding): string => (composite === undefined ? "" : formatReference(composite));

/** Writes a kubectl command, whose target names the version too: kinds of one name may be in several groups. @param patch quoted */
export function toPatchCommand(resource: Reference, type: "json" | "merge", patch: string): string {
  const { apiVersion, kind, namespace, name } = resource;
  const [group, version] = apiVersion.split("/");
  const target = toWord(`${kind.toLowerCase()}.${version}.${group}/${name}`);
  const within = namespace === undefined ? "" : ` --namespace=${toWord(namespace)}`;
  return `kubectl patch ${target}${within} --type=${type} --patch=${patch}`;
}
