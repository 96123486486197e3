import { expect, test } from "vitest";
import { ClusterError, type ClusterErrorCode } from "../../../cli/cluster/error.ts";
import { Unread } from "../../../cli/cluster/list.ts";
import { kindOf } from "../../../testing/servers/api-server.ts";

/** Which kinds' failures the audit goes on after. */

const readEach = async (codes: readonly ClusterErrorCode[]): Promise<readonly string[]> => {
  const unread = new Unread();
  for (const [index, code] of codes.entries()) {
    const error = new ClusterError(code, `${code} ${index}`);
    expect(await unread.unless(kindOf("example.org", `Kind${index}`), Promise.reject(error), "none")).toBe("none");
  }
  return unread.all().map(({ message }) => message);
};

test.each<{ reason: string; codes: readonly ClusterErrorCode[] }>([
  { reason: "RBAC keeps from us, each", codes: ["Forbidden", "Forbidden", "Forbidden", "Forbidden"] },
  { reason: "were removed meanwhile, or know no lists", codes: ["NotFound", "Refused"] },
  { reason: "have an API server of their own that is away, three of them", codes: Array(3).fill("Unavailable") },
])("it goes on after kinds that $reason", async ({ codes }) => {
  expect(await readEach(codes)).toEqual(codes.map((code, index) => `${code} ${index}`));
});

test.each<{ reason: string; codes: readonly ClusterErrorCode[] }>([
  { reason: "more of them are away: it is the cluster", codes: Array(4).fill("Unavailable") },
  { reason: "the credentials are not accepted", codes: ["Unauthorized"] },
  { reason: "a list is too old to be read to its end", codes: ["Expired"] },
])("it ends where $reason", async ({ codes }) => {
  await expect(readEach(codes)).rejects.toThrow(codes.at(-1));
});

test("what is there is the answer", async () => {
  const unread = new Unread();
  expect(await unread.unless(kindOf("example.org", "Kind"), Promise.resolve("something"), "nothing")).toBe("something");
  expect(unread.all()).toEqual([]);
});
