import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findTool } from "../scripts/tools/catalogue.ts";
import { valueAt } from "../src/model/field-path.ts";
import type { JsonObject } from "../src/model/json.ts";
import { generations, renderWith, toolsOf } from "../testing/rendering/crossplane.ts";
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
    const isMissing = toolsOf(generation).some((name) => findTool(name) === undefined);
    let composite: JsonObject;
    let composed: ReadonlyMap<unknown, JsonObject>;
    beforeAll(async () => {
      if (isMissing) return;
      const targets = Object.fromEntries([...others].map(([name, { target }]) => [name, target]));
      const { text } = await renderWith(generation, PIPELINE, { ...ours.targets, ...targets });
      const documents = parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
      const named = documents.map((document) => [at(document, NAME), document] as const);
      composite = documents.find(({ kind }) => kind === "XService") ?? {};
      composed = new Map(named.filter(([name]) => name !== undefined));
    }, TIMEOUT_MS);

    const conditions = () =>
      Object.fromEntries(
        (at(composite, ["status", "conditions"]) as readonly JsonObject[]).map(({ type, reason }) => [type, reason]),
      );

    const cases: readonly (readonly [string, () => unknown, unknown])[] = [
      [
        "function-go-templating finds region and database in the context",
        () => at(composed.get("replica"), FOR_PROVIDER),
        { region: "eu-central-1", replicateSourceDb: "orders-db", tags: { service: "checkout" } },
      ],
      [
        "function-cel-filter drops what was restored, and it is adopted",
        () => [at(composed.get("backups"), ADOPTION), conditions()["ResourcesAdopted"]],
        ["pending", "Adopting"],
      ],
      [
        "function-sequencer holds a resource back, and nothing brings it into the desired state again",
        () => composed.has("bucket"),
        false,
      ],
      ["the others are tagged meanwhile", () => conditions()["TagsOwned"], "Owned"],
      [
        "function-status-transformer finds the shared resource in the context",
        () => conditions()["DatabaseReady"],
        "Available",
      ],
      [
        "function-deletion-protection protects a composed resource and the XR",
        () => ["replica-usage", "xr-checkout-usage"].map((name) => composed.get(name)?.["kind"]),
        ["Usage", "Usage"],
      ],
      [
        "the XR has what it shares",
        () => at(composite, ["status", "endpoint"]),
        "orders-db.eu-central-1.db.example.org",
      ],
    ];
    test.skipIf(isMissing).each(cases)("%s", (_name, actual, expected) => expect(actual()).toEqual(expected));
  });
});

const NAME = ["metadata", "annotations", "crossplane.io/composition-resource-name"];
const ADOPTION = ["metadata", "annotations", "shared-infrastructure.fn.crossplane.io/adoption"];
const FOR_PROVIDER = ["spec", "forProvider"];

const at = (object: JsonObject | undefined, path: readonly string[]) => object && valueAt(object, path);
