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

/** The target Secrets of one shared resource. */
export interface Targets {
  /** Each once; none while a field is not set. */
  readonly list: readonly Target[];
  /** The namespaces of the list, each once. */
  readonly namespaces: readonly string[];
  /** True if there are more than MAX_TARGETS. */
  readonly isCutOff: boolean;
  /** The field that has to be set first. */
  readonly unset: string | undefined;
  readonly fault: string | undefined;
}

/** A shared resource of the input, in one call. */
export interface Share {
  readonly shared: SharedResource;
  readonly targets: Targets;
  /** Its bindings in the XR's record. */
  readonly before: readonly Binding[];
  /** The consumer's namespace; undefined for the platform's XRs. */
  readonly own: string | undefined;
  readonly call: Call;
}

/** A key of a copy, with its resolved name: a key of the source, or a text. */
export type NamedKey = { readonly to: string } & (
  | { readonly from: string; readonly template?: undefined }
  | { readonly from?: undefined; readonly template: Template }
);

/** A copy of the input, with the resolved names of its keys, and its resolved type, labels and annotations. */
export type NamedCopy = Omit<Copy, "keys" | "type" | "labels" | "annotations"> & {
  readonly keys: readonly NamedKey[] | undefined;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

export interface Target extends SecretName {
  readonly copy: NamedCopy;
}

/** A target. `refusal`: the reason why its copy may not be written, or why that is not known. */
export interface JudgedTarget extends Target {
  readonly refusal: SharingReason | undefined;
}

/** The source of copies, and their targets: each target is decided apart (copies/decide-secret.ts). */
export interface Copying {
  readonly is: "copy";
  /** The shared resource that copies are made from, and its Secret. */
  readonly origin: Reference;
  readonly resource: Document;
  readonly source: SecretName;
  readonly secret: SourceSecret;
  readonly targets: readonly JudgedTarget[];
  /** True if the shared resource is being deleted: no new copies are made. */
  readonly isBeingDeleted: boolean;
}

/**
 * The reason why nothing new can be copied.
 *
 * - `unknown`: a requirement is not answered yet. Existing copies stay exactly as they are.
 * - `broken`: the XR or the Composition names nothing that can be used. The copies live as long as the grants that they were
 *   made under (copies/recorded.ts): breaking an XR does not undo a revocation.
 * - `gone`: the shared resource, its Secret or its reference to one is not there. The same, and `onSourceMissing` decides.
 */
export type Cause = "unknown" | "broken" | "gone";

/** The copies of a shared resource, or the cause why there are none. `nothing`: the input asks for none. */
type Copies = Copying | { readonly is: "nothing" | Cause };

/** The access to the fields of the shared resource, for patches, the environment and the context. */
export type Fields =
  /** The resources hand out their fields. */
  | { readonly is: "served"; readonly resources: readonly Document[] }
  /** Values copied from them are removed. `resources`: where the share is for several, the others, which hand theirs out. */
  | { readonly is: "refused"; readonly resources: readonly Document[] }
  /**
   * Nothing can be read now, and values copied before stay. `bound`: the first resource that the XR does not name now and holds on to,
   * which its status follows. A team may edit its record, so that what the status shows need not be of it.
   */
  | { readonly is: "held"; readonly bound: Document | undefined };

/** The resource that the XR names now, as it goes into the record. */
export type Named = Pick<Binding, "resource" | "access" | "ticket" | "claimNamespace">;

/** The decision on one shared resource. Copies and fields are granted apart: to the copies' namespaces, and to the consumer's own. */
export interface Judgement {
  readonly copies: Copies;
  readonly fields: Fields;
  readonly reasons: readonly SharingReason[];
  /** Undefined where there is none, or several, or it is not known who has access. */
  readonly named: Named | undefined;
  /** The bindings of the record that stay beside the named resource. */
  readonly stay: readonly Binding[];
}

/** The resources that a selector finds, and the name by which the consumer asked. */
export interface Found {
  readonly is: "found";
  readonly resources: readonly Document[];
  readonly name: string;
}

/** The resources that a selector finds, or the cause where there are none. */
export type Lookup = Found | { readonly is: Cause; readonly reasons: readonly SharingReason[] };

export const unfound = (is: Cause, ...reasons: readonly SharingReason[]): Lookup => ({ is, reasons });

const HELD: Fields = { is: "held", bound: undefined };

/** Makes a judgement without copies; without a reason where the input accepts that. */
export const withoutCopies = (is: "nothing" | Cause, ...reasons: readonly SharingReason[]): Judgement => ({
  copies: { is },
  fields: HELD,
  reasons,
  named: undefined,
  stay: [],
});

/** Lists the resources that may hand out their fields now. */
export const readableIn = (fields: Fields): readonly Document[] => (fields.is === "held" ? [] : fields.resources);

/** Tells whether Crossplane will have answered in the next call. Of what it cannot read, such as Namespaces, nothing is known for longer. */
export const isWaiting = ({ copies, reasons }: Judgement): boolean =>
  copies.is === "unknown" && reasons.every((reason) => reason.is === "WaitingForRequiredResources");

/** A share with its judgement. */
export interface Judged extends Share {
  readonly lookup: Lookup;
  readonly judgement: Judgement;
}

/** A judged share after the delivery of its copies and fields. */
export interface Outcome extends Judged {
  /** The reasons why it is not available; empty if it is. */
  readonly reasons: readonly SharingReason[];
  /** The resources that the XR is bound to now. */
  readonly bindings: readonly Binding[];
}
