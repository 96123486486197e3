import { documentOf } from "../../src/model/document.ts";
import type { Request } from "../../src/model/request.ts";
import type { Answer } from "../../src/model/requirement.ts";
import type { State } from "../../src/model/resource.ts";
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
  required: (): Answer => ({ is: "pending" }),
  requiredSchema: () => ({ is: "pending" }),
};
