import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generations, isBuilt, renderEmbedded, renderWith } from "../testing/rendering/crossplane.ts";
import { canRender, examples, isAlone } from "../testing/rendering/examples.ts";
import { expectedMeaning, reference } from "../testing/rendering/expectations.ts";
import { toMeaning } from "../testing/rendering/rendering.ts";
import { type FunctionServer, serveFunction } from "../testing/servers/function-server.ts";

/** A CLI that is started on a busy machine takes its time. */
const TIMEOUT_MS = 60_000;

let server: FunctionServer;
beforeAll(async () => {
  server = await serveFunction();
});
afterAll(() => server.stop());

test.each(examples.filter((name) => !isAlone(name) && canRender(name)))(
  "the embedded runner prints what crossplane render prints, with functions of others: %s",
  async (example) => {
    expect(toMeaning(await renderEmbedded(example, server.targets))).toEqual(expectedMeaning(example, reference));
  },
);

describe.each(generations)("crossplane render %s", (generation) => {
  test.skipIf(!isBuilt(generation)).each(examples.filter(canRender))(
    "%s",
    async (example) => {
      expect(toMeaning(await renderWith(generation, example, server.targets))).toEqual(
        expectedMeaning(example, generation),
      );
    },
    TIMEOUT_MS,
  );
});
