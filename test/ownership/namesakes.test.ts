import { expect, test } from "vitest";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import type { CloudResource } from "../../src/ownership/identity.ts";
import { findNear } from "../../src/ownership/namesakes.ts";
import { contenderWith } from "../../testing/builders/contender.ts";

const { identity: facts } = findFacts("dynamodb.aws.upbound.io", "Table");

/** A table in a region and a project, behind a ProviderConfig whose account may be known. */
function table(place: Readonly<Record<string, string>>, config = "default", account = config): CloudResource {
  const known = { config, account, told: undefined, isAccountKnown: account !== config };
  return {
    names: ["orders"],
    parts: ["orders"],
    hashed: [[], []],
    facts,
    place: new Map(Object.entries(place)),
    ...known,
  };
}

const here = { region: "here", project: "ours" };

test.each<[reason: string, ours: CloudResource, other: CloudResource, isNear: boolean]>([
  ["it has the same place and ProviderConfig", table(here), table(here), true],
  ["it has another place", table(here), table({ ...here, region: "there" }), false],
  ["it leaves a part of its place open", table(here), table({ ...here, region: "" }), true],
  ["ours leaves a part open", table({ ...here, region: "" }), table(here), true],
  ["its kind is unknown, and it has a field less", table(here), table({ region: "here" }), true],
  ["it has another ProviderConfig", table(here), table(here, "theirs"), false],
  ["it has another ProviderConfig of one account", table(here, "a", "123"), table(here, "b", "123"), true],
  ["ours has the same ProviderConfig, and its account is known", table(here, "a", "123"), table(here, "a"), true],
])("of thousands of one name, one is compared with ours: %s", (_reason, ours, other, isNear) => {
  const namesakes = [other, table({ region: "elsewhere", project: "theirs" })].map((read) => ({
    one: contenderWith({}),
    read,
  }));
  expect(findNear(namesakes, ours).includes(namesakes[0] as (typeof namesakes)[0])).toBe(isNear);
});
