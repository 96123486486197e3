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

/** A shared resource of the input with its resolved targets and the XR's recorded bindings. */
export interface Share {
  readonly shared: SharedResource;
  readonly targets: Targets;
  /** The bindings of this share in the XR's record, as the call began. */
  readonly before: readonly Binding[];
  /** The consumer's namespace; undefined for the platform's XRs. */
  readonly own: string | undefined;
  readonly call: Call;
}

/** Tells whether a share binds the XR to one other resource: not to itself, and not to a list. */
export const bindsOne = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

/** The target Secrets of a share. */
export interface Targets {
  /** In the order of the input, MAX_TARGETS at most; empty while a field is not set. */
  readonly list: readonly Target[];
  /** The namespaces of the list, without duplicates. */
  readonly namespaces: readonly string[];
  /** True if the input asks for more than MAX_TARGETS. */
  readonly isCutOff: boolean;
  /** A field of the XR or Composition that the targets need and that is not set. */
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

/** A key of a copy: a key of the source under this name, or a text. */
export type NamedKey = { readonly to: string } & (
  | { readonly from: string; readonly template?: undefined }
  | { readonly from?: undefined; readonly template: Template }
);

export interface Found {
  readonly is: "found";
  readonly resources: readonly Document[];
  /** The name or labels by which the consumer asked, for messages. */
  readonly name: string;
}

/** The resources that a selector finds, or the cause if there are none. */
export type Lookup = Found | { readonly is: Cause; readonly reasons: readonly SharingReason[] };

export const unfound = (is: Cause, ...reasons: readonly SharingReason[]): Lookup => ({ is, reasons });

/**
 * The cause why nothing new can be copied.
 *
 * - `unknown`: an answer is missing. Existing copies stay exactly as they are.
 * - `broken`: the XR or the Composition names nothing that can be used. Existing copies stay while their own grants
 *   stand (copies/kept.ts), so that breaking an XR does not avoid a revocation.
 * - `gone`: the shared resource or its Secret does not exist, or it names none. As `broken`, but with
 *   `onSourceMissing: Delete` the copies go.
 */
export type Cause = "unknown" | "broken" | "gone";

/** The decision on one share. Copies are granted to their namespaces, and fields to the consumer's own. */
export interface Judgement {
  /** The copies to make, or the cause why there are none. `nothing`: the input asks for none. */
  readonly copies: Copying | { readonly is: "nothing" | Cause };
  readonly fields: Fields;
  readonly reasons: readonly SharingReason[];
  /** The resource that the XR names now. Undefined for none or several, or while its grants are unknown. */
  readonly named: Named | undefined;
  /** The recorded bindings that stay in addition to `named`. */
  readonly stay: readonly Binding[];
}

/** The source and the targets of copies. copies/decide-secret.ts decides on each target. */
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
  /** The reason why the copy may not be written, or why that is not known. */
  readonly refusal: SharingReason | undefined;
}

/** The access to fields of the shared resource, for patches, the environment and the context. */
export type Fields =
  | { readonly is: "served"; readonly resources: readonly Document[] }
  /** The XR's status loses the values. `resources`: those of several that grant access. */
  | { readonly is: "refused"; readonly resources: readonly Document[] }
  /** The XR's status keeps the values, read again from `bound`, the resource that served the XR. */
  | { readonly is: "held"; readonly bound: Document | undefined };

/** The part of a binding that does not depend on copies and dependents. */
export type Named = Pick<Binding, "resource" | "access" | "ticket" | "claimNamespace">;

/** Makes a judgement without copies. It has no reason if the input accepts that. */
export const withoutCopies = (is: "nothing" | Cause, ...reasons: readonly SharingReason[]): Judgement => ({
  copies: { is },
  fields: { is: "held", bound: undefined },
  reasons,
  named: undefined,
  stay: [],
});

/** Lists the resources whose fields may be read now. */
export const readableIn = (fields: Fields): readonly Document[] => (fields.is === "held" ? [] : fields.resources);

/** Tells whether the next call decides. Resources that Crossplane cannot read stay unknown for longer. */
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
  /** The resources that the XR is bound to now. */
  readonly bindings: readonly Binding[];
}
