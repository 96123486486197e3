import { COMPOSITION_RESOURCE_NAME, findController, readAnnotation } from "../../src/crossplane/metadata.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { RESTORED } from "../../src/ownership/annotations.ts";
import { judgeRestored, releaseCommand } from "../../src/ownership/restored.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { getIfThere, inParallel } from "../cluster/list.ts";
import { compareFindings, type Finding, toFinding, type World } from "./world.ts";

const NAMES = { missing: "Missing", different: "Different", waiting: "Waiting" } as const;

/** Finds the managed resources that only observe since a restore, what their providers found, and how to release each. */
export async function findRestored(cluster: Cluster, { labelled, composites }: World): Promise<readonly Finding[]> {
  const marked = [...labelled.values()].filter((document) => readAnnotation(document, RESTORED) !== undefined);
  const found = await inParallel(marked, (metadata) => getIfThere(cluster, toReference(metadata)));
  return found
    .filter((managed) => managed !== undefined)
    .map((managed) => judge(managed, composites))
    .sort(compareFindings);
}

function judge(managed: Document, composites: World["composites"]): Finding {
  const uid = findController(managed)?.uid;
  const composite = composites.find(({ document }) => stringAt(document, ["metadata", "uid"]) === uid);
  const judged = judgeRestored(managed);
  if (judged.is === "found")
    return toFinding("Found", managed, composite, "released as soon as the others of its XR are");
  const name = stringAt(managed, COMPOSITION_RESOURCE_NAME);
  const differs = judged.is === "different" ? `${judged.fields.join(", ")}; ` : "";
  const command = composite && name !== undefined ? releaseCommand(composite, name) : undefined;
  const message = `${differs}${command === undefined ? "no XR controls it yet" : "to release it"}`;
  return toFinding(NAMES[judged.is], managed, composite, message, command);
}
