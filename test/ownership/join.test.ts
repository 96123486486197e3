import { describe, expect, test } from "vitest";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { type Document, documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type LookupAnswer, Requirements } from "../../src/model/requirement.ts";
import { ACCOUNT, IDENTITY_LABEL, OWNER, TAGS_OWNER } from "../../src/ownership/annotations.ts";
import { KnownContenders } from "../../src/ownership/find-contenders.ts";
import { isKnown, readCloudResource } from "../../src/ownership/identity.ts";
import { findSame, type Join } from "../../src/ownership/join.ts";
import { candidateOf } from "../../testing/builders/contender.ts";
import { emptyRequest } from "../../testing/builders/request.ts";
import { ABSENT, CREATED, SYNCED } from "../../testing/builders/tags.ts";

const API_VERSION = "iam.aws.upbound.io/v1beta1";
const { identity: facts } = findFacts("iam.aws.upbound.io", "Role");

/** An IAM role `deployer`: one of the name in each account. Its provider has found the role, which ours does not own yet. */
interface Role {
  readonly name: string;
  /** The ProviderConfig. Default: of the same name. */
  readonly config?: string;
  readonly isOwner?: boolean;
  readonly isCreated?: boolean;
  /** The account in the id that the cloud reports. */
  readonly id?: string;
  /** The account that an earlier reconcile has noted. */
  readonly noted?: string;
  readonly status?: JsonObject;
  readonly age?: string;
  readonly more?: JsonObject;
}

function roleOf({
  name,
  config = name,
  isOwner,
  isCreated,
  id,
  noted,
  status = SYNCED,
  age = "5",
  more = {},
}: Role): Document {
  const arn = id === undefined ? {} : { atProvider: { arn: `arn:aws:iam::${id}:role/deployer` } };
  const annotations = {
    "crossplane.io/external-name": "deployer",
    ...(isOwner && { [OWNER]: `Shop/${name}`, [TAGS_OWNER]: `Shop/${name}#` }),
    ...(isCreated && CREATED),
    ...(noted !== undefined && { [ACCOUNT]: noted }),
  };
  return documentOf({
    apiVersion: API_VERSION,
    kind: "Role",
    metadata: {
      name,
      uid: name,
      creationTimestamp: `2026-01-0${age}T00:00:00Z`,
      labels: { [IDENTITY_LABEL]: "hash" },
      annotations,
      ownerReferences: [{ apiVersion: "example.org/v1", kind: "XShop", name: "shop", uid: "xr", controller: true }],
      ...more,
    },
    spec: {
      forProvider: {},
      providerConfigRef: { name: config },
      managementPolicies: isOwner ? ["*"] : ["Observe"],
    },
    status: { ...status, ...arn },
  });
}

const OURS: Role = { name: "ours" };

const resolved = (...items: readonly Document[]): LookupAnswer => ({ is: "resolved", items });

/** A ProviderConfig that names an account by its role. */
const configOf = (account: string): LookupAnswer =>
  resolved(documentOf({ spec: { assumeRoleChain: [{ roleARN: `arn:aws:iam::${account}:role/crossplane` }] } }));

/** What the cluster has: others of the name, and the accounts that ProviderConfigs name, in the order in which they are asked for. */
interface Setting {
  readonly own?: Role;
  readonly others: readonly Role[];
  readonly accounts?: readonly (string | "pending")[];
  /** The account that our input names. */
  readonly named?: string;
  /** The first contender, as an earlier reconcile found it. */
  readonly recalled?: Role;
  /** False on Crossplane before v2.2, which cannot say whether a kind is served. */
  readonly canAskSchemas?: boolean;
}

/** Answers with the accounts in the order in which ProviderConfigs are asked for. */
function toAccounts(accounts: Setting["accounts"] = []): (name: string) => LookupAnswer {
  const asked: string[] = [];
  return (name) => {
    if (!asked.includes(name)) asked.push(name);
    const account = accounts[asked.indexOf(name)];
    if (account === undefined) return resolved();
    return account === "pending" ? { is: "pending" } : configOf(account);
  };
}

/** Finds the same cloud resource as ours declares, and says in short what was found. */
function find({ own = OURS, others, accounts, named, recalled, canAskSchemas = true }: Setting): string {
  const document = roleOf(own);
  const accountFor = toAccounts(accounts);
  const namesakes = resolved(document, ...others.map(roleOf));
  const required = (name: string): LookupAnswer => {
    if (name.startsWith("tags/first/")) return recalled ? resolved(roleOf(recalled)) : { is: "pending" };
    if (name.startsWith("tags/account/")) return accountFor(name);
    return name.includes(".m.") ? resolved() : namesakes;
  };
  const requiredSchema = () => ({ is: "resolved", schema: documentOf({}) }) as const;
  const known = new KnownContenders(new Requirements({ ...emptyRequest, required, requiredSchema }), canAskSchemas);
  const declared = readCloudResource({ desired: document, observed: document, facts, account: named });
  if (!isKnown(declared)) throw new Error("cannot read what ours declares");
  return explain(findSame(candidateOf(document, declared), known, "AWS"));
}

function explain(join: Join): string {
  if (join.is === "same") return `joins ${join.declared.account}`;
  if (join.is === "untold")
    return `does not know about ${join.other.name}${join.isCreating ? ", which is creating" : ""}`;
  if (join.is === "pending") return "pending";
  return [join.is, join.hasSettled && "settled", join.isFollowed && "followed"].filter(Boolean).join(", ");
}

const [ONE, TWO] = ["111111111111", "222222222222"];
const owner = (name: string, more: Partial<Role> = {}): Role => ({ name, isOwner: true, age: "1", ...more });
const observer = (name: string, more: Partial<Role> = {}): Role => ({ name, ...more });
const ourselves = (more: Partial<Role>): Role => ({ ...OURS, ...more });

describe("one name behind several ProviderConfigs", () => {
  test.each<[reason: string, setting: Setting, found: string]>([
    [
      "two ids count, whatever the ProviderConfigs say",
      { own: ourselves({ id: ONE }), others: [owner("a", { id: TWO })], accounts: [ONE, ONE] },
      "alone",
    ],
    ["the other ProviderConfig is not looked up yet", { others: [owner("a")], accounts: [ONE, "pending"] }, "pending"],
    ["ours is not looked up yet", { others: [owner("a")], accounts: ["pending", ONE] }, "pending"],
    [
      "ProviderConfigs cannot be looked up: one of a kind that is not served would fail the XR",
      { others: [owner("a")], accounts: [ONE, ONE], canAskSchemas: false },
      "does not know about a",
    ],
    ["only one of them names its account", { others: [owner("a")], accounts: [ONE] }, "does not know about a"],
    [
      "an account that the other one has noted counts as named",
      { others: [owner("a", { noted: ONE })], accounts: [ONE] },
      `joins ${ONE}`,
    ],
    [
      "the writer has not found it yet",
      { others: [owner("a", { status: ABSENT })] },
      "does not know about a, which is creating",
    ],
    ["ours has found none that it could share", { own: ourselves({ status: ABSENT }), others: [owner("a")] }, "alone"],
    [
      "only one id is known, and both ProviderConfigs name one account",
      { own: ourselves({ id: ONE }), others: [owner("a")], accounts: [ONE, ONE] },
      "joins a",
    ],
    [
      "only the other id is known, and ours has no account",
      { others: [owner("a", { id: ONE, noted: ONE })] },
      "does not know about a",
    ],
    [
      "the input names our account, and not the other one's, as long as not all Compositions name it",
      { own: ourselves({ id: ONE }), others: [owner("a", { id: ONE, isCreated: true })], named: "production" },
      "joins a",
    ],
    [
      "the inputs name two accounts, of which ours stays",
      { own: ourselves({ id: ONE }), others: [owner("a", { id: ONE, noted: TWO })], named: "production" },
      "joins production",
    ],
    [
      "it writes, though it is not marked as the owner",
      { others: [owner("a", { more: { annotations: { "crossplane.io/external-name": "deployer" } } })] },
      "does not know about a",
    ],
    ["another observer decides nothing", { others: [observer("a", { age: "1" })] }, "alone"],
    [
      "its provider has never looked, so that a ProviderConfig that leads nowhere holds up nobody",
      { others: [observer("a", { age: "1", status: {} })], accounts: [ONE, ONE] },
      "alone",
    ],
  ])("%s", (_reason, setting, found) => {
    expect(find(setting)).toBe(found);
  });

  test.each<[reason: string, others: readonly Role[], found: string]>([
    ["an owner that created it comes first", [owner("a"), owner("b", { isCreated: true, age: "2" })], "joins b"],
    ["then an owner whose account is known", [owner("a"), owner("b", { noted: ONE, age: "2" })], `joins ${ONE}`],
    ["then one that created it", [owner("a"), observer("b", { isCreated: true, age: "2" })], "joins b"],
    ["then an owner", [observer("a", { age: "1" }), owner("b", { age: "2" })], "joins b"],
    ["then the oldest", [observer("a", { age: "2" }), observer("b", { age: "1" })], "joins b"],
    ["one that is younger than ours joins ours", [observer("a", { age: "9" })], "alone, followed"],
  ])("of several in one account %s", (_reason, others, found) => {
    expect(find({ others, accounts: [ONE, ONE, ONE] })).toBe(found);
  });

  const ofOurs = owner("a", { config: OURS.name });
  const joined = { ...ofOurs, noted: "ProviderConfig theirs", more: { labels: { [IDENTITY_LABEL]: "another" } } };
  test.each<[reason: string, setting: Setting, found: string]>([
    [
      "the one with our id counts also behind ten accounts",
      {
        own: ourselves({ id: ONE }),
        others: [
          ...Array.from({ length: 10 }, (_, index) => owner(`other-${index}`, { id: TWO })),
          owner("z", { id: ONE, age: "2" }),
        ],
      },
      "joins z",
    ],
    [
      "an owner that looks for no others, since its account is known, is joined by an older one that does",
      {
        own: ourselves({ id: ONE, isOwner: true, isCreated: true, age: "1" }),
        others: [owner("a", { id: ONE, noted: "ProviderConfig b", age: "2" })],
      },
      "joins b",
    ],
    ["ours looks no more once it knows the owner", { others: [ofOurs], recalled: ofOurs }, "alone"],
    ["ours follows its owner, which has joined another one", { others: [joined], recalled: joined }, "joins theirs"],
    [
      "at most ten accounts are compared",
      {
        others: Array.from({ length: 11 }, (_, index) => owner(`o${index}`, { age: index === 10 ? "4" : "1" })),
        accounts: [ONE, ...Array<string>(10).fill(TWO), ONE],
      },
      "alone",
    ],
    [
      "of one account the first counts",
      { others: [owner("a", { noted: TWO, age: "2" }), owner("b", { noted: TWO, isCreated: true })], accounts: [TWO] },
      `joins ${TWO}`,
    ],
  ])("%s", (_reason, setting, found) => {
    expect(find(setting)).toBe(found);
  });
});

describe("an owner", () => {
  const own = ourselves({ isOwner: true, isCreated: true, age: "1" });

  test.each<[reason: string, setting: Setting, found: string]>([
    ["that is listed, with nobody else there, has settled", { own, others: [] }, "alone, settled"],
    [
      "that others will join has not",
      { own, others: [observer("a", { age: "9" })], accounts: [ONE, ONE] },
      "alone, followed",
    ],
    [
      "has settled beside one of another account",
      { own, others: [observer("a", { age: "9" })], accounts: [ONE, TWO] },
      "alone, settled",
    ],
    [
      "has not settled beside a writer that has not found it yet: its id may be the same",
      { own, others: [owner("a", { age: "9", status: ABSENT })] },
      "alone",
    ],
    [
      "has settled beside a writer of another account that has not found it yet",
      { own, others: [owner("a", { age: "9", status: ABSENT })], accounts: [ONE, TWO] },
      "alone, settled",
    ],
    [
      "has settled beside a writer of another id",
      { own: { ...own, id: ONE }, others: [owner("a", { age: "9", id: TWO })] },
      "alone, settled",
    ],
    [
      "of two that created it at once, the second joins the first",
      { own: { ...own, age: "5" }, others: [owner("a", { isCreated: true })], accounts: [ONE, ONE] },
      "joins a",
    ],
    [
      "that has not found it yet does not look",
      { own: { ...own, status: ABSENT }, others: [owner("a", { isCreated: true })], accounts: [ONE, ONE] },
      "alone",
    ],
    [
      "has settled beside one with its own ProviderConfig",
      { own, others: [observer("a", { config: "ours", age: "9" })] },
      "alone, settled",
    ],
    [
      "whose account is noted does not look again",
      { own: { ...own, noted: ONE }, others: [owner("a", { isCreated: true, noted: ONE })] },
      "alone",
    ],
  ])("%s", (_reason, setting, found) => {
    expect(find(setting)).toBe(found);
  });
});

test("one that is being deleted counts, since its deletion may take the cloud resource with it", () => {
  const leaving = owner("a", { isCreated: true, more: { deletionTimestamp: "2026-02-01T00:00:00Z" } });
  expect(find({ others: [leaving], accounts: [ONE, ONE] })).toBe("joins a");
});

test("one that no XR controls, and that never wrote, does not count", () => {
  expect(find({ others: [observer("a", { age: "1", more: { ownerReferences: [] } })], accounts: [ONE, ONE] })).toBe(
    "alone",
  );
});
