import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { inRepository } from "../../scripts/package/layout.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { readPage } from "../quick-start.ts";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { autoReady, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";
import { follow } from "./quick-start.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";
import { CLOUD, object } from "./tagged.ts";

/** The hand-over from a claim to a namespaced XR as a reader of docs/tags.md does it, by provider-kubernetes' twins. */

export const claimToNamespaced: Suite = {
  name: "from a claim to a namespaced XR",
  scenarios: [{ name: "the commands of the page: observed, and then owned", run: handsOver, isFor: isV2 }],
};

const [NAMESPACE, RESOURCE] = ["store", "catalog-prices"];

const claimed = {
  definition: definitionOf({
    kind: "XCatalog",
    claim: "CatalogClaim",
    spec: { team: { type: "string" }, resource: { type: "string" } },
  }),
  composition: compositionOf("XCatalog", [
    object({}),
    ours("tag", { tags: { add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }] } }),
    autoReady,
  ]),
  claim: {
    apiVersion: VERSION,
    kind: "CatalogClaim",
    metadata: { namespace: NAMESPACE, name: "prices" },
    spec: { team: "claim", resource: RESOURCE },
  },
};

/** The example's kind. */
const definition: JsonObject | undefined = parseAllDocuments(
  readFileSync(inRepository("examples/definitions.yaml"), "utf8"),
)
  .map((document) => document.toJS() as JsonObject)
  .find((object) => at(object, "spec.names.kind") === "Catalog");

async function handsOver(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  if (definition === undefined) throw new Error("cannot find Catalog in examples/definitions.yaml");
  await kubectl.apply(namespaceOf(CLOUD), namespaceOf(NAMESPACE), claimed.definition, definition);
  await kubectl.established(`xrd/${claimed.definition.metadata.name}`, `xrd/${at(definition, "metadata.name")}`);
  await kubectl.waitFor("Offered", `xrd/${claimed.definition.metadata.name}`);
  await kubectl.apply(claimed.composition, claimed.claim);
  const reason = async () => conditionOf(await kubectl.get("catalogclaim/prices", NAMESPACE), "TagsOwned")?.reason;
  await until("the claim owns it", async () => (await reason()) === "Owned", PATIENCE);
  const cloud = async () => await kubectl.get(`configmap/${RESOURCE}`, CLOUD);
  await until("its tag is there", async () => at(await cloud(), "metadata.labels.team") === "claim", PATIENCE);
  const uid = at(await cloud(), "metadata.uid");
  const seen = await follow(readPage("docs/tags.md"), rig, "From claims to namespaced XRs");
  await until("the new tag is there", async () => at(await cloud(), "metadata.labels.team") === NAMESPACE, PATIENCE);
  if (at(await cloud(), "metadata.uid") !== uid) throw new Error("it was deleted and created again");
  await kubectl.run("delete", "catalog/prices", "-n", NAMESPACE, "--wait=false");
  return `${seen}; the same ConfigMap`;
}
