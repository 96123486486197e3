import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generations, isBuilt, renderEmbedded, renderWith } from "../testing/rendering/crossplane.ts";
import { canRender, examples } from "../testing/rendering/examples.ts";
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

describe("the embedded runner prints what crossplane render prints", () => {
  test.each(examples.filter(canRender))("%s", async (example) => {
    expectSame(await renderEmbedded(example, server.targets), expectedOf(example, reference));
  });
});

describe.each(generations)("crossplane render %s", (generation) => {
  test.skipIf(!isBuilt(generation)).each(examples.filter(canRender))(
    "%s",
    async (example) => {
      expectSame(await renderWith(generation, example, server.targets), expectedOf(example, generation));
    },
    TIMEOUT_MS,
  );
});
