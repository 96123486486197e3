import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../../../src/model/json.ts";
import { differences, type Outcome, patchesAgree } from "../../../../testing/peers/patch-agreement.ts";
import {
  connectPatchAndTransform,
  type PatchAndTransform,
  type PatchCase,
  type PatchResult,
  patchHere,
} from "../../../../testing/peers/patch-and-transform.ts";
import { patchAnswers } from "../../../../testing/peers/patch-answers.ts";
import { type GoFunction, startGoFunction } from "../../../../testing/servers/go-function.ts";
import { toolOrSkip } from "../../../../testing/tools/server-tools.ts";

const program = toolOrSkip("function-patch-and-transform") ?? "";

/** Where a patch does nothing, the field stays what it was. */
const caseOf = (patch: Partial<PatchCase>): PatchCase => ({
  status: {},
  spec: { to: "before" },
  toFieldPath: "spec.to",
  ...(patch.combine === undefined && { fromFieldPath: "status.v" }),
  ...patch,
});

function expectOutcome(result: PatchResult, expected: Outcome): void {
  if ("fault" in expected) {
    expect(result.is === "failed" ? result.fault : JSON.stringify(result.spec)).toContain(expected.fault);
  } else {
    const to = result.is === "patched" && isObject(result.spec) ? result.spec["to"] : result;
    expect(to).toEqual(expected.to);
  }
}

describe.skipIf(program === "")("function-patch-and-transform v0.5.0", () => {
  let server: GoFunction;
  let peer: PatchAndTransform;
  beforeAll(async () => {
    server = await startGoFunction(program);
    peer = connectPatchAndTransform(server.target);
  });
  afterAll(async () => {
    peer.close();
    await server.stop();
  });

  // The same cases in every run: what fails here fails for everybody. `npm run properties` tries ten thousand others.
  test("makes the same of five hundred patches, and fails at the same transform", async () => {
    await fc.assert(patchesAgree(peer), { seed: 20, numRuns: 500 });
  });

  test("still gives the answers that transforms.test.ts expects of ours", async () => {
    const others: string[] = [];
    for (const { title, patch, answer } of patchAnswers) {
      const result = await peer.patch(patch);
      const given = result.is === "patched" && isObject(result.spec) ? result.spec["to"] : undefined;
      if (!isDeepStrictEqual(given, answer)) others.push(`${title}, and now ${JSON.stringify(given)}`);
    }
    expect(others).toEqual([]);
  });

  describe("differs on purpose", () => {
    test.each(differences)("$reason", async ({ patch, theirs, ours }) => {
      expectOutcome(await peer.patch(caseOf(patch)), theirs);
      expectOutcome(patchHere(caseOf(patch)), ours);
    });
  });
});
