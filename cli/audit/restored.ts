import { COMPOSITION_RESOURCE_NAME, findController, readAnnotation } from "../../src/crossplane/metadata.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { RESTORED } from "../../src/ownership/annotations.ts";
import { judgeRestored, releaseCommand } from "../../src/ownership/restored.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { discover } from "../cluster/discovery.ts";
import { getIfThere } from "../cluster/list.ts";
import { findKindOf } from "../lookup/find-kind.ts";
import { compareFindings } from "./findings.ts";
import type { Finding, World } from "./world.ts";

const NAMES = { found: "Found", missing: "Missing", different: "Different", waiting: "Waiting" } as const;

/** Finds the managed resources that only observe since a restore, what their providers found, and how to release each. */
export async function findRestored(cluster: Cluster, { labelled, composites }: World): Promise<readonly Finding[]> {
  const kinds = await discover(cluster, { includeCore: false });
  const marked = [...labelled.values()].filter((document) => readAnnotation(document, RESTORED) !== undefined);
  const found: Finding[] = [];
  for (const metadata of marked) {
    const reference = toReference(metadata);
    const kind = findKindOf(kinds, reference);
    const object = kind && (await getIfThere(cluster, kind, reference.name, reference.namespace));
    if (object !== undefined) found.push(toFinding(documentOf(object), composites));
  }
  return found.sort(compareFindings);
}

function toFinding(managed: Document, composites: World["composites"]): Finding {
  const uid = findController(managed)?.uid;
  const composite = composites.find(({ document }) => stringAt(document, ["metadata", "uid"]) === uid);
  const name = stringAt(managed, COMPOSITION_RESOURCE_NAME);
  const judged = judgeRestored(managed);
  const differs = judged.is === "different" ? `${judged.fields.join(", ")}; ` : "";
  const isFound = judged.is === "found";
  const command = composite && name !== undefined && !isFound ? releaseCommand(composite, name) : undefined;
  return {
    is: NAMES[judged.is],
    resource: toReference(managed),
    composite: composite && toReference(composite.document),
    compositionResourceName: name,
    message: isFound
      ? "released as soon as the others of its XR are"
      : `${differs}${command === undefined ? "no XR controls it yet" : "to release it"}`,
    command,
  };
}
