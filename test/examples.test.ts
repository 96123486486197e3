import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTool } from "../scripts/tools/catalogue.ts";
import { generations, renderWith, toolsOf } from "../testing/rendering/crossplane.ts";
import { examples, ownExamples, renderEmbedded } from "../testing/rendering/examples.ts";
import { expectedOf, reference } from "../testing/rendering/expectations.ts";
import { type FunctionServer, serveFunction } from "../testing/servers/function-server.ts";

/** A CLI that is started on a busy machine takes its time. */
const TIMEOUT_MS = 60_000;

let server: FunctionServer;
beforeAll(async () => {
  server = await serveFunction();
});
afterAll(() => server.stop());

describe("the embedded runner prints what crossplane render prints", () => {
  test.each(ownExamples())("%s", async (example) => {
    expect(await renderEmbedded(example)).toEqual(expectedOf(example, reference));
  });
});

// What is missing, and how to get it, is said by support/tools-setup.ts.
describe.each(generations)("crossplane render %s", (generation) => {
  const isMissing = toolsOf(generation).some((name) => findTool(name) === undefined);
  test.skipIf(isMissing).each(examples)(
    "%s",
    async (example) => {
      expect(await renderWith(generation, example, server.targets)).toEqual(expectedOf(example, generation));
    },
    TIMEOUT_MS,
  );
});
