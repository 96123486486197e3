import { documentOf } from "../../src/model/document.ts";
import type { Request, State } from "../../src/model/request.ts";
import type { LookupAnswer } from "../../src/model/requirement.ts";
import { resourceOf } from "./sharing.ts";

const NOTHING: State = { composite: resourceOf({}), resources: new Map() };

/** A request without resources; all its requirements are pending. Tests override the parts that they are about. */
export const emptyRequest: Request = {
  tag: "",
  capabilities: new Set(),
  observed: NOTHING,
  desired: NOTHING,
  input: documentOf({}),
  context: documentOf({}),
  required: (): LookupAnswer => ({ is: "pending" }),
  requiredSchema: () => ({ is: "pending" }),
};
