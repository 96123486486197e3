import type { Draft, ResourceEdit } from "../../src/model/draft.ts";
import { isObject } from "../../src/model/json.ts";
import type { Request } from "../../src/model/request.ts";
import { addedObject, GENERATION, IDS, type Job, READ, type Run } from "../jobs.ts";
import { built } from "../rig/built.ts";

/** The jobs as features of this function do them: over its wire and its model, by field paths. */

const { readRequest } = await built<typeof import("../../src/wire/request.ts")>("wire/request");
const { writeResponse } = await built<typeof import("../../src/wire/response.ts")>("wire/response");
const { emptyDraft } = await built<typeof import("../../src/model/draft.ts")>("model/draft");
const { parseFieldPath, withValueAt } = await built<typeof import("../../src/model/field-path.ts")>("model/field-path");

const ID = parseFieldPath("status.atProvider.id");
const NAME = parseFieldPath("metadata.name");
const IDS_ANNOTATION = parseFieldPath(`metadata.annotations[${IDS}]`);
const GENERATION_ANNOTATION = parseFieldPath(`metadata.annotations[${GENERATION}]`);

const TTL = { ...emptyDraft, ttlSeconds: 60 };

const drafts: Record<Job, (request: Request) => Draft> = { echo: () => TTL, "touch few": touchFew, everything };

export const runOf =
  (job: Job): Run =>
  (message) => {
    const request = readRequest(message);
    return writeResponse(request, drafts[job](request));
  };

function touchFew({ observed, desired }: Request): Draft {
  const xr = String(observed.composite.document.at(NAME));
  const ids = READ.map((name) => observed.resources.get(name)?.document.at(ID)).join(",");
  const added = { is: "set", object: addedObject(xr, ids), ready: "True" } as const;
  const resources = new Map<string, ResourceEdit>([["added", added]]);
  const edited = desired.resources.get(READ[0])?.document.with([{ path: IDS_ANNOTATION, value: ids }]);
  if (edited !== undefined) resources.set(READ[0], { is: "set", object: edited });
  return { ...TTL, resources };
}

function everything({ observed, desired }: Request): Draft {
  const seen = new Map([...observed.resources].map(([name, { document }]) => [name, document.toObject()]));
  const edits = [...desired.resources].map(([name, { document }]) => {
    const metadata = seen.get(name)?.["metadata"];
    const generation = isObject(metadata) ? metadata["generation"] : "";
    return [
      name,
      { is: "set", object: withValueAt(document.toObject(), GENERATION_ANNOTATION, String(generation)) },
    ] as const;
  });
  return { ...TTL, resources: new Map(edits) };
}
