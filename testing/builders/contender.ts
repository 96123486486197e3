import { documentOf } from "../../src/model/document.ts";
import type { Contender } from "../../src/ownership/contender.ts";

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
  isDeletingWithIt: false,
  policies: undefined,
  observation: "unknown",
  isCreated: false,
  acknowledged: new Set(),
  document: documentOf({}),
};

/** A contender of which only that is known. */
export const contenderWith = (known: Partial<Contender>): Contender => ({ ...nothing, ...known });
