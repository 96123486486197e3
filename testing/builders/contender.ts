import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { type Document, documentOf } from "../../src/model/document.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import type { Candidate, CloudResource } from "../../src/ownership/identity.ts";

const nothing: Contender = {
  id: "",
  owner: "",
  name: "",
  uid: "",
  createdAt: "",
  takeOwnership: "",
  isMarked: false,
  knowsOwner: false,
  identity: undefined,
  contends: "",
  isDeleting: false,
  isControlled: true,
  isWriting: false,
  mayDelete: false,
  policies: undefined,
  observation: "unknown",
  isCreated: false,
  isDeletionAllowed: false,
  acknowledged: new Set(),
  document: documentOf({}),
};

/** A contender of which only that is known. */
export const contenderWith = (known: Partial<Contender>): Contender => ({ ...nothing, ...known });

/** The managed resource `own` as one of those that may own what it declares. */
export const candidateOf = (own: Document, declared: CloudResource, more: Partial<Candidate> = {}): Candidate => ({
  kind: readManagedKind(own),
  declared,
  desired: own,
  externalName: "name",
  identity: "hash",
  forms: [{ identity: "hash", declared }],
  observed: declared,
  own: toContender(own),
  isMadeUp: false,
  isImported: false,
  hasManagementPolicies: true,
  reportedTags: () => undefined,
  ...more,
});
