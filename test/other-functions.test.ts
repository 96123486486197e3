import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { COMPOSITION_RESOURCE_NAME, readAnnotation } from "../src/crossplane/metadata.ts";
import { shownCondition } from "../src/model/condition.ts";
import { documentOf } from "../src/model/document.ts";
import { DOMAIN } from "../src/model/names.ts";
import { generations, isBuilt, renderWith } from "../testing/rendering/crossplane.ts";
import { canRender } from "../testing/rendering/examples.ts";
import { type FunctionServer, serveFunction } from "../testing/servers/function-server.ts";
import { type GoFunction, startGoFunction } from "../testing/servers/go-function.ts";

/**
 * One pipeline with five functions that others wrote, rendered by the real CLIs: they read what ours puts into the context, and ours
 * lives with what they drop and add. Their modules are in no Go proxy, so an environment variable names the folder of their
 * binaries: docs/compatibility.md says how they are built.
 */

const folder = process.env["PEER_FUNCTIONS"] ?? "";
const OTHERS = ["cel-filter", "deletion-protection", "go-templating", "sequencer", "status-transformer"];

/** Seen from examples/. */
const PIPELINE = "../testing/peers/pipeline";

const TIMEOUT_MS = 60_000;

describe.skipIf(folder === "")("beside functions that others wrote", () => {
  let ours: FunctionServer;
  const others = new Map<string, GoFunction>();
  beforeAll(async () => {
    ours = await serveFunction();
    for (const name of OTHERS) others.set(`function-${name}`, await startGoFunction(join(folder, `function-${name}`)));
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const { stop } of others.values()) await stop();
    await ours.stop();
  });

  describe.each(generations)("crossplane render %s", (generation) => {
    test.skipIf(!isBuilt(generation) || !canRender(PIPELINE))(
      "each finds what the others leave",
      async () => {
        const targets = Object.fromEntries([...others].map(([name, { target }]) => [name, target]));
        const { text } = await renderWith(generation, PIPELINE, { ...ours.targets, ...targets });
        const documents = parseAllDocuments(text).map((document) => documentOf(document.toJS()));
        const composite = documents.find((document) => document.at(["kind"]) === "XService") ?? documentOf({});
        const composed = new Map(documents.map((document) => [document.at(COMPOSITION_RESOURCE_NAME), document]));
        const reasonOf = (type: string): string | undefined => shownCondition(composite, type)?.reason;

        expect(composite.at(["status", "endpoint"])).toBe("orders-db.eu-central-1.db.example.org");
        // function-go-templating finds region and database in the context.
        const replica = { region: "eu-central-1", replicateSourceDb: "orders-db", tags: { service: "checkout" } };
        expect(composed.get("replica")?.at(["spec", "forProvider"])).toEqual(replica);
        // function-cel-filter drops what was restored, and it is adopted.
        expect(readAnnotation(composed.get("backups") ?? documentOf({}), `${DOMAIN}/adoption`)).toBe("pending");
        expect(reasonOf("ResourcesAdopted")).toBe("Adopting");
        // function-sequencer holds a resource back, and nothing brings it into the desired state again; the others are tagged.
        expect(composed.has("bucket")).toBe(false);
        expect(reasonOf("TagsOwned")).toBe("Owned");
        // function-status-transformer finds the shared resource in the context.
        expect(reasonOf("DatabaseReady")).toBe("Available");
        // function-deletion-protection protects a composed resource and the XR.
        const usages = ["replica-usage", "xr-checkout-usage"].map((name) => composed.get(name)?.at(["kind"]));
        expect(usages).toEqual(["Usage", "Usage"]);
      },
      TIMEOUT_MS,
    );
  });
});
