import type { SecretName } from "../../crossplane/copies.ts";
import type { Reference } from "../../crossplane/references.ts";
import type { Copy } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import type { Template } from "../../model/template.ts";
import type { Binding } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import type { SharingReason } from "./reasons.ts";
import type { SourceSecret } from "./source.ts";

/** A shared resource of the input, in one call. */
export interface Share {
  readonly shared: SharedResource;
  readonly targets: Targets;
  /** The bindings of the XR's observed record for this share, to resources of its kind; none unless `bindsOne`. */
  readonly before: readonly Binding[];
  /** The namespace of the XR or its claim; undefined for an XR without both, which is the platform's. */
  readonly own: string | undefined;
  readonly call: Call;
}

/** Tells whether a share binds the XR to one resource. `select.self`, and a share that allows several matches, do not. */
export const bindsOne = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

export interface Targets {
  /** In the order of the input, MAX_TARGETS at most; empty while a field is not set. */
  readonly list: readonly Target[];
  /** The namespaces of `list`, each once, without invalid names. */
  readonly namespaces: readonly string[];
  /** True if the input asks for more than MAX_TARGETS. */
  readonly isCutOff: boolean;
  /** The first field that is not set; until it is, the targets are not known. */
  readonly unset: string | undefined;
  readonly fault: string | undefined;
}

export interface Target extends SecretName {
  readonly copy: NamedCopy;
}

/** A copy of the input with resolved keys, type, labels and annotations. */
export type NamedCopy = Omit<Copy, "keys" | "type" | "labels" | "annotations"> & {
  /** Undefined for all keys of the source. */
  readonly keys: readonly NamedKey[] | undefined;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

/** A key of a copy: `to` has the value of the source's key `from`, or a text made from a template. */
export type NamedKey = { readonly to: string } & (
  | { readonly from: string; readonly template?: undefined }
  | { readonly from?: undefined; readonly template: Template }
);

/** The resources that a selector finds, and the name or labels by which the consumer asked. */
export interface Found {
  readonly is: "found";
  readonly resources: readonly Document[];
  readonly name: string;
}

/** The resources that a selector finds, or the cause where there are none. */
export type Lookup = Found | { readonly is: Cause; readonly reasons: readonly SharingReason[] };

export const unfound = (is: Cause, ...reasons: readonly SharingReason[]): Lookup => ({ is, reasons });

/**
 * The cause for which nothing new can be copied.
 *
 * - `unknown`: Crossplane has to look something up: existing copies stay exactly as they are. Or it cannot: as `broken`.
 * - `broken`: the XR or the Composition names nothing that can be used. Existing copies stay while their own grants
 *   stand (`isCopyKept`), so no team avoids a revocation by breaking its XR.
 * - `gone`: the shared resource or its Secret does not exist, or the shared resource names no Secret. As `broken`, but
 *   `onSourceMissing: Delete` deletes existing copies.
 */
export type Cause = "unknown" | "broken" | "gone";

/** The decision on one shared resource. Copies need a grant to their namespaces, fields a grant to the consumer's own namespace. */
export interface Judgement {
  /** The copies, or the cause for having none. `nothing`: the input asks for none. */
  readonly copies: Copying | { readonly is: "nothing" | Cause };
  readonly fields: Fields;
  readonly reasons: readonly SharingReason[];
  /** The resource that the XR names now. Undefined for none or several, and while the access to it is not known. */
  readonly named: Named | undefined;
  /** The bindings of the record that stay beside `named`. */
  readonly stay: readonly Binding[];
}

/** The source of copies, and their targets. Each target is decided on its own (copies/decide-secret.ts). */
export interface Copying {
  readonly is: "copy";
  /** The shared resource that the copies are made from. */
  readonly origin: Reference;
  readonly resource: Document;
  readonly source: SecretName;
  readonly secret: SourceSecret;
  readonly targets: readonly JudgedTarget[];
  /** True if the shared resource is being deleted: no new copies are made. */
  readonly isBeingDeleted: boolean;
}

export interface JudgedTarget extends Target {
  /** The reason why the copy may not be written, or why that is not known; undefined if it may. */
  readonly refusal: SharingReason | undefined;
}

/** The access to fields of the shared resource, for patches, the environment and the context. */
export type Fields =
  | { readonly is: "served"; readonly resources: readonly Document[] }
  /**
   * Values copied before are removed from the XR's status; composed resources keep theirs. `resources`: if the share has several
   * resources, those that still grant access.
   */
  | { readonly is: "refused"; readonly resources: readonly Document[] }
  /** Values copied before stay. `bound`: the resource that the XR is bound to; only patches of the XR's status still read it. */
  | { readonly is: "held"; readonly bound: BoundResource | undefined };

/** The state of a recorded grant. `pending`: Crossplane has to look something up. */
export type Grant = "stands" | "pending" | "ended";

/** A resource that the XR is bound to, and its grant. `gone`: the resource or its Secret does not exist. */
export interface BoundResource {
  readonly is: Grant | "gone";
  readonly found?: Document;
}

/** A resource that the XR names, as its record notes it. */
export type Named = Pick<Binding, "resource" | "access" | "ticket" | "claimNamespace">;

/** Makes a judgement without copies. It has reasons unless the input accepts that there are no copies. */
export const withoutCopies = (is: "nothing" | Cause, ...reasons: readonly SharingReason[]): Judgement => ({
  copies: { is },
  fields: { is: "held", bound: undefined },
  reasons,
  named: undefined,
  stay: [],
});

/** Lists the resources whose fields may be read now. */
export const readableIn = (fields: Fields): readonly Document[] => (fields.is === "held" ? [] : fields.resources);

/** Tells whether the next call decides. False if Crossplane may not read a Namespace: then `copies` stay unknown. */
export const isWaiting = ({ copies, reasons }: Judgement): boolean =>
  copies.is === "unknown" && reasons.every((reason) => reason.is === "WaitingForRequiredResources");

export interface Judged extends Share {
  readonly lookup: Lookup;
  readonly judgement: Judgement;
}

/** A share after its copies, patches and dependents. */
export interface Outcome extends Judged {
  /** The reasons why the share is not available; empty if it is. */
  readonly reasons: readonly SharingReason[];
  readonly bindings: readonly Binding[];
}
