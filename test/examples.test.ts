import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTool, toolNames } from "../scripts/tools/catalogue.ts";
import { generations, renderWith, toolsOf } from "../testing/rendering/crossplane.ts";
import { renderEmbedded } from "../testing/rendering/embedded.ts";
import { examples, functionsOf } from "../testing/rendering/examples.ts";
import { expectedOf, reference } from "../testing/rendering/expectations.ts";
import { type Rendering, toMeaning } from "../testing/rendering/rendering.ts";
import { type FunctionServer, serveFunction } from "../testing/servers/function-server.ts";

/** A CLI that is started on a busy machine takes its time. */
const TIMEOUT_MS = 60_000;

let server: FunctionServer;
beforeAll(async () => {
  server = await serveFunction();
});
afterAll(() => server.stop());

/** Compares what documents mean: their layout and the order of keys are each CLI's own. */
function expectSame(actual: Rendering, expected: Rendering | undefined): void {
  expect(toMeaning(actual)).toEqual(expected && toMeaning(expected));
}

/** What is missing, and how to get it, is said by testing/tools/tools-setup.ts. */
const isBuilt = (name: string): boolean => !toolNames.some((tool) => tool === name && findTool(tool) === undefined);
const canRender = (example: string): boolean => functionsOf(example).every(isBuilt);

describe("the embedded runner prints what crossplane render prints", () => {
  test.each(examples.filter(canRender))("%s", async (example) => {
    expectSame(await renderEmbedded(example, server.targets), expectedOf(example, reference));
  });
});

describe.each(generations)("crossplane render %s", (generation) => {
  const isMissing = toolsOf(generation).some((name) => findTool(name) === undefined);
  test.skipIf(isMissing).each(examples.filter(canRender))(
    "%s",
    async (example) => {
      expectSame(await renderWith(generation, example, server.targets), expectedOf(example, generation));
    },
    TIMEOUT_MS,
  );
});
