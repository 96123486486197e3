import { describe, expect, test } from "vitest";
import { patchHere } from "../../../../testing/peers/patch-and-transform.ts";
import { patchAnswers } from "../../../../testing/peers/patch-answers.ts";

describe("transforms, as function-patch-and-transform does them", () => {
  test.each(patchAnswers)("$title", ({ patch, answer }) => {
    const result = patchHere(patch);
    if (answer === undefined) expect(result.is).toBe("failed");
    else expect(result).toEqual({ is: "patched", spec: { to: answer } });
  });
});
