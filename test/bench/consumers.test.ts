import { expect, test } from "vitest";
import { copyInto, serving } from "../../bench/cost/consumers.ts";
import { lastCall } from "../../bench/requests/last-call.ts";
import { runFunction } from "../../src/run-function.ts";
import { ALLOWED } from "../../testing/builders/sharing.ts";

test("a thousand consumers with the longest names, each with a credential, fit into an answer", () => {
  const namespaces = Array.from({ length: 1000 }, (_, index) => `${"n".repeat(58)}-${index + 1000}`);
  const cluster = namespaces.map((namespace) => copyInto(namespace, "s".repeat(253)));
  const request = lastCall(serving({ [ALLOWED]: namespaces.join(",") }, { cluster }));
  const { response, conditions } = runFunction(request);
  expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["ConsumersServed WaitingForCredentials"]);
  expect(response.byteLength).toBeGreaterThan(400_000);
  expect(response.byteLength).toBeLessThan(4 * 1024 * 1024);
});
