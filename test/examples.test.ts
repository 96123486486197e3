import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTool } from "../scripts/tools/catalogue.ts";
import { generations, renderWith, toolsOf } from "./support/crossplane.ts";
import { examples, ownExamples, renderEmbedded } from "./support/examples.ts";
import { expectedOf, reference } from "./support/expectations.ts";
import { type FunctionServer, serveFunction } from "./support/function-server.ts";

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
