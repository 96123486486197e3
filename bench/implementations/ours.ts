import type { Draft, ResourceEdit } from "../../src/model/draft.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Request } from "../../src/model/request.ts";
import { addedObject, COST_CENTER, GENERATION, IDS, type Job, READ, type Run, SHARED } from "../jobs.ts";
import { built } from "../rig/built.ts";

/**
 * The jobs as features of this function do them: over its wire and its model, looking fields up by their paths and setting
 * values at paths. "touch few whole" does the job of "touch few" on whole objects, as with any other library.
 */

const { readRequest } = await built<typeof import("../../src/wire/request.ts")>("wire/request");
const { writeResponse } = await built<typeof import("../../src/wire/response.ts")>("wire/response");
const { emptyDraft } = await built<typeof import("../../src/model/draft.ts")>("model/draft");
const { parseFieldPath, withValueAt } = await built<typeof import("../../src/model/field-path.ts")>("model/field-path");

const ID = parseFieldPath("status.atProvider.id");
const NAME = parseFieldPath("metadata.name");
const IDS_ANNOTATION = parseFieldPath(`metadata.annotations[${IDS}]`);
const GENERATION_ANNOTATION = parseFieldPath(`metadata.annotations[${GENERATION}]`);
const COST_CENTER_LABEL = parseFieldPath(`metadata.labels[${COST_CENTER}]`);
const COST_CENTER_TAG = parseFieldPath(`spec.forProvider.tags[${COST_CENTER}]`);

const TTL = { ...emptyDraft, ttlSeconds: 60 };

const drafts: Record<Job | "touch few whole", (request: Request) => Draft> = {
  echo: () => TTL,
  "touch few": touchFew,
  "touch few whole": touchFewWhole,
  "look up": lookUp,
  everything,
  "tag all": tagAll,
  select: selectIntoContext,
};

export function runOf(job: Job): Run {
  const draftOf = drafts[job];
  return (message) => {
    const request = readRequest(message);
    return writeResponse(request, draftOf(request));
  };
}

function touchFew({ observed, desired }: Request): Draft {
  const xr = String(observed.composite.document.at(NAME));
  const ids = READ.map((name) => observed.resources.get(name)?.document.at(ID)).join(",");
  const added = { is: "set", object: addedObject(xr, ids), ready: "True" } as const;
  const resources = new Map<string, ResourceEdit>([["added", added]]);
  const edited = desired.resources.get(READ[0])?.document.with([{ path: IDS_ANNOTATION, value: ids }]);
  if (edited !== undefined) resources.set(READ[0], { is: "set", document: edited });
  return { ...TTL, resources };
}

function touchFewWhole({ observed, desired }: Request): Draft {
  const xr = observed.composite.document.toObject();
  const ids = READ.map((name) => observed.resources.get(name)?.document.toObject())
    .filter((object) => object !== undefined)
    .map((object) => textAt(object, ["status", "atProvider", "id"]))
    .join(",");
  const resources = new Map<string, ResourceEdit>();
  const edited = desired.resources.get(READ[0])?.document.toObject();
  if (edited) resources.set(READ[0], { is: "set", object: withValueAt(edited, IDS_ANNOTATION, ids) });
  const added = addedObject(textAt(xr, NAME), ids);
  resources.set("added", { is: "set", object: added, ready: "True" });
  return { ...TTL, resources };
}

/** Reads a text as a feature does from an object that is decoded as a whole. */
function textAt(object: JsonObject, path: FieldPath): string {
  let value: JsonValue | undefined = object;
  for (const step of path) value = (value as JsonObject)[step];
  return String(value);
}

function lookUp({ observed }: Request): Draft {
  const names = [...observed.resources.keys()].sort();
  const ids = names.map((name) => observed.resources.get(name)?.document.at(ID)).join(",");
  return { ...TTL, context: new Map([[IDS, ids]]) };
}

function everything({ observed, desired }: Request): Draft {
  const resources = new Map<string, ResourceEdit>();
  const seen = new Map([...observed.resources].map(([name, { document }]) => [name, document.toObject()]));
  for (const [name, { document }] of desired.resources) {
    const generation = textAt(seen.get(name) ?? {}, ["metadata", "generation"]);
    resources.set(name, {
      is: "set",
      object: withValueAt(document.toObject(), GENERATION_ANNOTATION, generation),
    });
  }
  return { ...TTL, resources };
}

function tagAll({ observed, desired }: Request): Draft {
  const costCenter = observed.composite.document.at(COST_CENTER_LABEL) ?? "";
  const resources = new Map<string, ResourceEdit>();
  for (const [name, { document }] of desired.resources) {
    resources.set(name, { is: "set", document: document.with([{ path: COST_CENTER_TAG, value: costCenter }]) });
  }
  return { ...TTL, resources };
}

function selectIntoContext(request: Request): Draft {
  const answer = request.required("shared");
  return { ...TTL, context: new Map([[SHARED, answer.is === "resolved" ? answer.items : []]]) };
}
