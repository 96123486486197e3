import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { COMPOSITION_RESOURCE_NAME, readAnnotation } from "../src/crossplane/metadata.ts";
import { shownCondition } from "../src/model/condition.ts";
import { type Document, documentOf } from "../src/model/document.ts";
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
const OTHERS = [
  "function-cel-filter",
  "function-deletion-protection",
  "function-go-templating",
  "function-sequencer",
  "function-status-transformer",
];

/** Seen from examples/. */
const PIPELINE = "../testing/peers/pipeline";

const TIMEOUT_MS = 60_000;

describe.skipIf(folder === "")("beside functions that others wrote", () => {
  let ours: FunctionServer;
  const others = new Map<string, GoFunction>();
  beforeAll(async () => {
    ours = await serveFunction();
    for (const name of OTHERS) others.set(name, await startGoFunction(join(folder, name)));
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const { stop } of others.values()) await stop();
    await ours.stop();
  });

  describe.each(generations)("crossplane render %s", (generation) => {
    const canRun = isBuilt(generation) && canRender(PIPELINE);
    let composite: Document;
    let composed: ReadonlyMap<unknown, Document>;
    beforeAll(async () => {
      if (!canRun) return;
      const targets = Object.fromEntries([...others].map(([name, { target }]) => [name, target]));
      const { text } = await renderWith(generation, PIPELINE, { ...ours.targets, ...targets });
      const documents = parseAllDocuments(text).map((document) => documentOf(document.toJS()));
      composite = documents.find((document) => document.at(["kind"]) === "XService") ?? documentOf({});
      composed = new Map(documents.map((document) => [document.at(COMPOSITION_RESOURCE_NAME), document]));
    }, TIMEOUT_MS);

    const reasonOf = (type: string): string | undefined => shownCondition(composite, type)?.reason;

    const cases: readonly (readonly [string, () => unknown, unknown])[] = [
      [
        "function-go-templating finds region and database in the context",
        () => composed.get("replica")?.at(["spec", "forProvider"]),
        { region: "eu-central-1", replicateSourceDb: "orders-db", tags: { service: "checkout" } },
      ],
      [
        "function-cel-filter drops what was restored, and it is adopted",
        () => [adoptionOf(composed.get("backups")), reasonOf("ResourcesAdopted")],
        ["pending", "Adopting"],
      ],
      [
        "function-sequencer holds a resource back, and nothing brings it into the desired state again",
        () => composed.has("bucket"),
        false,
      ],
      ["the others are tagged meanwhile", () => reasonOf("TagsOwned"), "Owned"],
      [
        "function-status-transformer finds the shared resource in the context",
        () => reasonOf("DatabaseReady"),
        "Available",
      ],
      [
        "function-deletion-protection protects a composed resource and the XR",
        () => ["replica-usage", "xr-checkout-usage"].map((name) => composed.get(name)?.at(["kind"])),
        ["Usage", "Usage"],
      ],
      [
        "the XR has what it shares",
        () => composite.at(["status", "endpoint"]),
        "orders-db.eu-central-1.db.example.org",
      ],
    ];
    test.skipIf(!canRun).each(cases)("%s", (_name, actual, expected) => expect(actual()).toEqual(expected));
  });
});

const adoptionOf = (resource: Document | undefined): string | undefined =>
  resource && readAnnotation(resource, "shared-infrastructure.fn.crossplane.io/adoption");
