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
  /** Metadata of everything with the label crossplane.io/composite, and of all XRs, by `resourceKey`. */
  readonly labelled: ReadonlyMap<string, Document>;
  /** Metadata of managed resources without this function's label, of the kinds of which others have it. */
  readonly unregistered: readonly Document[];
  /** Metadata of unlabelled objects that XRs refer to, or why there is none. Lacks objects that could not be read. */
  readonly referred: ReadonlyMap<string, Document | "missing" | "kindMissing">;
  /** Namespaces being deleted that hold a composed resource being deleted. */
  readonly leaving: ReadonlySet<string>;
  /** Kinds that could not be read, and why. `isComposed`: managed resources, XRs, and kinds that some XR refers to. */
  readonly notLookedAt: readonly { readonly message: string; readonly isComposed: boolean }[];
  /** The number of kinds that were listed. */
  readonly kinds: number;
}

/** The XRs that may have composed a resource, as far as its metadata tells. */
export interface Composer {
  readonly composites: readonly Composite[];
  /** The only XR that can have composed the resource; undefined while there is doubt. */
  readonly only: Composite | undefined;
}

/** The current time, and the age from which an XR counts as never reconciled and a deletion as hanging. */
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
    "It has the external name of a managed resource that this function has registered, and lacks the function's label.",
  Unreferred:
    "It makes a copy of a connection Secret or depends on a grant, and no XR refers to it: Crossplane will never delete it.",
  SharedResourceGone: "It makes a copy of the connection Secret of an XR, and that XR does not exist.",
  Hanging: "It is being deleted with its namespace, and its provider can no longer work there.",
  NeverReconciled: "The XR has no condition Synced: Crossplane has never finished reconciling it.",
  HeldBack:
    "With --before-removal only: nothing but the tags step keeps it from writing or deleting its cloud resource.",
  Waiting:
    "With --restore only: it observes since a restore, and its provider has not looked for the cloud resource yet.",
  Missing: "With --restore only: its provider found no cloud resource.",
  Different: "With --restore only: the cloud resource differs from what is desired.",
  Found: "With --restore only: the cloud resource is as desired.",
} as const;

type FindingType = keyof typeof FINDINGS;

export interface Finding {
  readonly is: FindingType;
  /** The composed resource; for `NeverReconciled`, the XR. */
  readonly resource: Reference;
  /** Undefined where several XRs could have composed the resource. */
  readonly composite: Reference | undefined;
  /** The resource's name in the Composition, if it has the annotation. */
  readonly compositionResourceName: string | undefined;
  /** The fault, and its consequence. */
  readonly message: string;
  /** The kubectl command that ends the fault; undefined if none does, or a person has to decide first. */
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

/** Writes a kubectl command. It names version and group, since several groups may have the kind. @param patch quoted for a shell */
export function toPatchCommand(resource: Reference, type: "json" | "merge", patch: string): string {
  const { apiVersion, kind, namespace, name } = resource;
  const [group, version] = apiVersion.split("/");
  const target = toWord(`${kind.toLowerCase()}.${version}.${group}/${name}`);
  const within = namespace === undefined ? "" : ` --namespace=${toWord(namespace)}`;
  return `kubectl patch ${target}${within} --type=${type} --patch=${patch}`;
}
