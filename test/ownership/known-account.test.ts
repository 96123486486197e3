import { expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { ACCOUNT } from "../../src/ownership/annotations.ts";
import { formatAccount, isSameConfig, readAccount } from "../../src/ownership/known-account.ts";

/** A managed resource with the ProviderConfig `name`, on which an earlier reconcile has noted an account. */
const managed = (name: string, noted?: string, rest: JsonObject = {}) =>
  documentOf({
    metadata: { annotations: noted === undefined ? {} : { [ACCOUNT]: noted } },
    spec: { providerConfigRef: { name, ...rest } },
  });

const ours = managed("ours");
type Row = [reason: string, read: Parameters<typeof readAccount>, is: string, told?: string | undefined, note?: string];
test.each<Row>([
  ["is its ProviderConfig at first, and not noted", [{ desired: ours, observed: undefined }, false], "ours"],
  ["is what the input says", [{ desired: ours, observed: managed("ours", "1"), account: "2" }, false], "2", "2", "2"],
  ["is what was noted", [{ desired: ours, observed: managed("ours", "1") }, false], "1", "1", "1"],
  [
    "is noted as one that only a ProviderConfig leads to",
    [{ desired: ours, observed: managed("ours", "ProviderConfig theirs") }, false],
    "theirs",
    undefined,
    "ProviderConfig theirs",
  ],
  [
    "is not what was noted with another ProviderConfig",
    [{ desired: ours, observed: managed("old", "1") }, false],
    "ours",
  ],
  ["is told by its name, whatever was noted", [{ desired: ours, observed: managed("ours", "1") }, true], ""],
])("the account of a managed resource %s", (_reason, read, account, told, note) => {
  const known = readAccount(...read);
  expect(known).toMatchObject({ account, config: "ours" });
  expect(known.inputAccount).toBe(told);
  expect(formatAccount(known, false)).toBe(note);
});

test("an account that is not told is noted by its ProviderConfig once it is settled, and that note is read as it was", () => {
  const note = formatAccount(readAccount({ desired: ours, observed: undefined }, false), true);
  const read = readAccount({ desired: ours, observed: managed("ours", note) }, false);
  expect([note, read.account, read.isAccountKnown]).toEqual(["ProviderConfig ours", "ours", true]);
});

test.each<[is: boolean, a: string, b: string, accounts: readonly (string | undefined)[]]>([
  [true, "x", "x", [undefined, undefined]],
  [true, "x", "x", ["1", undefined]],
  [true, "x", "x", [undefined, "1"]],
  [false, "x", "x", ["1", "1"]], // the accounts tell
  [false, "x", "y", [undefined, undefined]],
])(
  "it is %j that the ProviderConfigs %s and %s lead into one account, where the input names %j",
  (is, a, b, accounts) => {
    const [one, other] = [a, b].map((config, index) =>
      readAccount({ desired: managed(config), observed: undefined, account: accounts[index] }, false),
    );
    expect(one && other && isSameConfig(one, other)).toBe(is);
  },
);
