import { expect, test } from "vitest";
import { renderEmbedded } from "../testing/rendering/crossplane.ts";
import { examples, isAlone } from "../testing/rendering/examples.ts";
import { expectedMeaning, reference } from "../testing/rendering/expectations.ts";
import { toMeaning } from "../testing/rendering/rendering.ts";

test.each(examples.filter(isAlone))("the embedded runner prints what crossplane render prints: %s", async (example) => {
  expect(toMeaning(await renderEmbedded(example, {}))).toEqual(expectedMeaning(example, reference));
});
