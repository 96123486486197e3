import { describe, expect, test } from "vitest";
import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { type Document, documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type LookupAnswer, Requirements, type SchemaAnswer } from "../../src/model/requirement.ts";
import {
  CONTENDERS,
  CONTENDS_LABEL,
  IDENTITY_LABEL,
  OWNER,
  TAGS_OWNER,
  TAKE_OWNERSHIP,
  WRITES_LABEL,
} from "../../src/ownership/annotations.ts";
import { toContender } from "../../src/ownership/contender.ts";
import { toLostRequirements } from "../../src/ownership/contender-requirements.ts";
import { findLiving } from "../../src/ownership/contenders.ts";
import { KnownContenders } from "../../src/ownership/find-contenders.ts";
import { type Candidate, type CloudResource, readByItself } from "../../src/ownership/identity.ts";
import { candidateOf } from "../../testing/builders/contender.ts";
import { emptyRequest } from "../../testing/builders/request.ts";

const S3 = "s3.aws.upbound.io/v1beta2";
const { identity: facts } = findFacts("s3.aws.upbound.io", "Bucket");
const S3_NAMESPACED = "s3.aws.m.upbound.io/v1beta1";

const LABELLED = { [IDENTITY_LABEL]: "hash" };

/** A managed resource that an XR controls, for the bucket of that name. Ours is the oldest, and its provider has found the bucket. */
const bucket = (name: string, labels: JsonObject = LABELLED, annotations: JsonObject = {}, declared = "orders") =>
  documentOf({
    apiVersion: S3,
    kind: "Bucket",
    metadata: {
      name,
      uid: `uid-of-${name}`,
      creationTimestamp: name === "us" ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z",
      labels,
      annotations: { "crossplane.io/external-name": declared, ...annotations },
      ownerReferences: [{ apiVersion: "example.org/v1", kind: "XShop", name: "shop", uid: "xr", controller: true }],
    },
    spec: { forProvider: { region: "eu-west-1" } },
    status: { conditions: [{ type: "Synced", status: "True" }] },
  });

const marked = { [OWNER]: "Shop/us", [TAGS_OWNER]: "Shop/us#", [CONTENDERS]: "" };

interface Setting {
  /** Null before it is created. */
  readonly own?: ReturnType<typeof bucket> | null;
  readonly apiVersion?: string;
  readonly reported?: Readonly<Record<string, string>>;
  /** The region that ours declares. */
  readonly region?: string;
}

const placeIn = (region: string) => new Map([["spec.forProvider.region", region]]);
const account = { account: "", config: "default", inputAccount: undefined, isAccountKnown: true };
const orders: CloudResource = {
  names: ["orders"],
  hashed: [],
  parts: ["orders"],
  place: placeIn("eu-west-1"),
  facts,
  ...account,
};

const candidate = ({ own = bucket("us"), apiVersion = S3, reported, region = "eu-west-1" }: Setting): Candidate =>
  candidateOf(
    own ?? bucket("us"),
    { ...orders, place: placeIn(region) },
    {
      kind: readManagedKind(documentOf({ apiVersion, kind: "Bucket" })),
      ...(own === null ? { own: undefined, observed: undefined } : { observed: readByItself(own, facts) }),
      reportedTags: () => reported && new Map(Object.entries(reported)),
    },
  );

/** Whether the kind's twin is served, and what there is of it. */
interface Twins {
  readonly canAskSchemas?: boolean;
  readonly schema?: SchemaAnswer;
  readonly twins?: LookupAnswer;
}

/** Tells whether a requirement looks for contenders of that API version by a label. */
const isOf = (apiVersion: string, name: string): boolean =>
  name.startsWith(`tags/${apiVersion}/`) && name.endsWith("/hash");

/** Finds what the cluster has, by the kind of question: by label, and by name. */
function find(setting: Setting, byLabel: LookupAnswer, byName: LookupAnswer = { is: "pending" }, more: Twins = {}) {
  const { canAskSchemas = false, schema = { is: "pending" }, twins = { is: "pending" } } = more;
  const answerTo = (name: string): LookupAnswer => {
    if (name.startsWith("tags/first/")) return { is: "pending" };
    return isOf(setting.apiVersion ?? S3, name) ? byLabel : byName;
  };
  const requiredSchema = () => schema;
  const answer = (name: string): LookupAnswer => (isOf(S3_NAMESPACED, name) && canAskSchemas ? twins : answerTo(name));
  const requirements = new Requirements({ ...emptyRequest, required: answer, requiredSchema });
  const found = new KnownContenders(requirements, canAskSchemas).find(candidate(setting));
  const [required, schemas] = [requirements.resources, requirements.schemas].map((asked) => [...asked.values()]);
  return { names: found?.all.map(({ name }) => name), required, schemas };
}

/** What an XR knows of contenders, on a Crossplane that cannot say what is served. */
const knowing = (required: (name: string) => LookupAnswer) =>
  new KnownContenders(new Requirements({ ...emptyRequest, required }), false);

const labelled = { apiVersion: S3, kind: "Bucket", match: { labels: { [IDENTITY_LABEL]: "hash" } } };
const writer = { apiVersion: S3, kind: "Bucket", match: { name: "other" } };
/** One that carries the label and declares something else, or leaves it open. */
function named({ name = "orders", region = "eu-west-1", config = "default" }) {
  const spec = { forProvider: { region }, providerConfigRef: { name: config } };
  return bucket("other", LABELLED, {}, name).with([{ path: ["spec"], value: spec }]);
}
const OBSERVING = { path: ["spec", "managementPolicies"], value: ["Observe"] };
const DELETED = { path: ["metadata", "deletionTimestamp"], value: "2026-02-01T00:00:00Z" };
const writing = (name: string, labels: JsonObject = {}, declared = "orders") =>
  bucket(name, labels, {}, declared).with([{ ...OBSERVING, value: ["*"] }]);
const withoutStatus = (one: ReturnType<typeof bucket>) => one.with([{ path: ["status"], value: {} }]);
const reported = { "crossplane-name": "other", "crossplane-kind": "bucket.s3.aws.upbound.io" };
const resolved = (...items: readonly ReturnType<typeof bucket>[]): LookupAnswer => ({ is: "resolved", items });
const pending: LookupAnswer = { is: "pending" };

test.each<[reason: string, successors: string, lookedUp: readonly string[], isNamespaced?: boolean]>([
  ["all listed", "other", []],
  ["not listed any more", "other,lost", ["lost"]],
  [
    "not listed any more, and many",
    Array.from({ length: 30 }, (_, index) => `a${index}`).join(),
    Array(20).fill(expect.stringMatching(/^a\d/)),
  ],
  ["noted as hashes, since they are thousands", "#0003711a537783d7", []],
  ["of the namespaced twin", "team-a/lost", []],
  ["namespaced", "team-a/lost,lost,x/y/lost,../lost,A B/lost", ["lost"], true],
])("an owner looks up by name its successors that are %s", (_reason, successors, lookedUp, isNamespaced = false) => {
  const own = bucket("us", LABELLED, { ...marked, [CONTENDERS]: successors });
  const one = candidate({ own, apiVersion: isNamespaced ? S3_NAMESPACED : S3 });
  const listed = [own, bucket("other")].map(toContender);
  expect(toLostRequirements(one, listed)).toMatchObject(lookedUp.map((name) => ({ selector: { match: { name } } })));
});

test.each<[reason: string, found: LookupAnswer, lost: readonly string[] | undefined]>([
  ["writes it", resolved(writing("lost")), ["lost"]],
  ["may write another one by now", resolved(writing("lost", {}, "bills")), []],
  ["only observes it", resolved(bucket("lost", {}).with([OBSERVING])), []],
  ["has no policies, so that nothing tells", resolved(bucket("lost", {})), []],
  ["is being deleted", resolved(writing("lost").with([DELETED])), []],
  ["has a label of another cloud resource", resolved(writing("lost", { [IDENTITY_LABEL]: "another" })), []],
  ["is gone", resolved(), []],
  ["is not looked up yet", pending, undefined],
])("a successor without the label, which %s, is lost: %s", (_reason, answer, lost) => {
  const own = bucket("us", LABELLED, { ...marked, [CONTENDERS]: "lost" });
  const found = knowing(() => answer).findLost(candidate({ own }), [toContender(own)]);
  expect(found?.map(({ name }) => name)).toEqual(lost);
});

describe("the contenders for a cloud resource", () => {
  const UID = ["metadata", "uid"];
  test.each([
    ["an owner that was restored: it is the one of its name before", marked, "uid-of-us"],
    ["one that owns nothing: it may have been made anew, and is not in the answer", {}, "uid-before"],
  ])("in an answer from before its UID: %s", (_, annotations, uid) => {
    const own = bucket("us", LABELLED, annotations);
    const answer = resolved(own.with([{ path: UID, value: "uid-before" }]));
    const found = knowing(() => answer).find(candidate({ own }));
    expect(found?.all.map((one) => one.uid)).toEqual([uid]);
  });

  test.each([
    ["one that is not created yet", null, WRITES_LABEL],
    ["one that may be promoted", bucket("us"), IDENTITY_LABEL],
    ["the owner", bucket("us", LABELLED, marked), CONTENDS_LABEL],
  ])("of %s are required by their label's name: no answer to that is one to another label", (_, own, label) => {
    const requirements = new Requirements({ ...emptyRequest, required: () => pending });
    new KnownContenders(requirements, false).find(candidate({ own }));
    expect([...requirements.resources.keys()]).toEqual([`tags/${S3}/${label}/hash`]);
  });

  test.each<[reason: string, document: Document, names: readonly string[], region?: string]>([
    ["declares the bucket", bucket("other"), ["us", "other"]],
    ["declares another one, so its label is forged", named({ name: "bills" }), ["us"]],
    ["declares one in another region", named({ region: "us-east-1" }), ["us"]],
    ["declares it by another ProviderConfig, as its name is unique", named({ config: "theirs" }), ["us", "other"]],
    ["has not looked for it by another ProviderConfig", withoutStatus(named({ config: "theirs" })), ["us"]],
    ["declares one that has no name yet", named({ name: "" }), ["us"]],
    ["leaves the region open, as an observer may", named({ region: "" }), ["us", "other"]],
    ["declares it in a region that ours leaves open", named({ region: "us-east-1" }), ["us", "other"], ""],
  ])("where what carries the label %s: %s", (_reason, document, names, region = "eu-west-1") => {
    expect(find({ region }, resolved(bucket("us"), document))).toMatchObject({ names, required: [labelled] });
  });

  test("are those that an XR controls, and those that owned or wrote before a restore", () => {
    const unowned = { path: ["metadata", "ownerReferences"], value: [] };
    const loose = (name: string, annotations: JsonObject, value: readonly string[]) =>
      bucket(name, LABELLED, annotations).with([unowned, { path: ["spec", "managementPolicies"], value }]);
    const observers = [loose("by-hand", {}, ["Observe"]), loose("restored", marked, ["Observe"])];
    const living = findLiving([bucket("us"), ...observers, loose("writer", {}, ["*"])].map(toContender));
    expect(living.map(({ name }) => name).sort()).toEqual(["restored", "us", "writer"]);
  });

  test("are not known while the one that wrote the cloud resource last is looked up", () => {
    const found = find({ reported }, resolved(bucket("us")));
    expect(found).toMatchObject({ names: undefined, required: [labelled, writer] });
  });

  const another = { [IDENTITY_LABEL]: "another" };
  test.each<[string, readonly ReturnType<typeof bucket>[], readonly string[]]>([
    ["it has no label yet", [bucket("other", {})], ["us", "other"]],
    ["it is gone", [], ["us"]],
    ["it stands for another cloud resource by now", [bucket("other", LABELLED, {}, "bills")], ["us"]],
    ["it says that the cloud resource is in another place", [bucket("other", another)], ["us", "other"]],
    ["it is ours under an earlier name", [bucket("us", {})], ["us"]],
    ["its Composition only observes by now", [bucket("other", {}).with([OBSERVING])], ["us"]],
  ])("are known when the last writer has been looked up and %s", (_, found, names) => {
    expect(find({ reported }, resolved(bucket("us")), resolved(...found)).names).toEqual(names);
  });

  const kind = { "crossplane-kind": "bucket.s3.aws.upbound.io" };
  const writtenBy = (name: string): Setting => ({ reported: { ...reported, "crossplane-name": name } });
  test.each<[reason: string, setting: Setting, listed?: readonly string[]]>([
    ["the provider reports no tags", {}],
    ["ours is not created yet", { reported, own: null }],
    ["ours is the owner", { reported, own: bucket("us", {}, marked) }],
    ["the kind is namespaced", { reported, apiVersion: S3_NAMESPACED }],
    ["it has another kind", { reported: { ...reported, "crossplane-kind": "Bucket.s3.aws.upbound.io" } }],
    ["its kind is not reported", { reported: { "crossplane-name": "other" } }],
    ["its name is not reported", { reported: kind }],
    ...["../x", "a/b", "..", "a".repeat(254)].map((name): [string, Setting] => ["no name is so", writtenBy(name)]),
    ["it is ours", writtenBy("us"), []],
    ["it is listed", { reported }, ["other"]],
  ])("are listed without a look-up of the last writer when %s", (_reason, setting, listed = ["us"]) => {
    const found = find(setting, resolved(...listed.map((name) => bucket(name))));
    expect(found).toMatchObject({ names: listed, required: [{ match: { labels: expect.anything() } }] });
  });

  test("are all listed for the owner of another cloud resource that is renamed to one that an operator gave away", () => {
    const own = bucket("us", { [IDENTITY_LABEL]: "another" }, marked);
    const chosen = bucket("other", LABELLED, { [TAKE_OWNERSHIP]: "1" });
    const contending = { ...labelled, match: { labels: { [CONTENDS_LABEL]: "hash" } } };
    expect(find({ own }, resolved(chosen))).toMatchObject({ names: ["other"], required: [contending] });
  });

  const schema: SchemaAnswer = { is: "resolved", schema: documentOf({}) };
  const inTeamA = { path: ["metadata", "namespace"], value: "team-a" };
  const twin = bucket("twin").with([{ path: ["apiVersion"], value: S3_NAMESPACED }, inTeamA]);
  const ofTwin = { apiVersion: S3_NAMESPACED, kind: "Bucket" };
  const both = [labelled, { ...ofTwin, match: labelled.match }];
  const [asks, twins, all] = [{ canAskSchemas: true }, resolved(twin), ["us", "team-a/twin"]];
  type Row = [reason: string, twins: Twins, names: string[] | undefined, required: object[], schemas: object[]];
  test.each<Row>([
    ["Crossplane cannot say what is served", {}, ["us"], [labelled], []],
    ["it is not known whether the twin is served", asks, undefined, [labelled], [ofTwin]],
    ["the twin is not served", { ...asks, schema: { is: "unknown" } }, ["us"], [labelled], [ofTwin]],
    ["the twin is served, and not looked up yet", { ...asks, schema }, undefined, both, [ofTwin]],
    ["the twin is looked up", { ...asks, schema, twins }, all, both, [ofTwin]],
    ["an answer from before proves that the twin is served", { ...asks, twins }, all, both, []],
  ])("of both twins are known where %s", (_reason, given, names, required, schemas) => {
    const asked = resolved(bucket("us"));
    expect(find({}, asked, pending, given)).toMatchObject({ names, required, schemas });
  });

  const creating = { isMadeUp: true, own: toContender(bucket("us", {})) };
  test.each<[reason: string, ours: Partial<Candidate>, listed: string | undefined]>([
    ["ours is in it", {}, "us"],
    [
      "ours is not in it yet",
      { own: toContender(bucket("us").with([{ path: ["metadata", "uid"], value: "uid-of-new" }])) },
      undefined,
    ],
    ["ours created the cloud resource, and counts whatever the list says", creating, "us"],
  ])("are one list for all resources of an XR that stand for one cloud resource: %s", (_reason, ours, listed) => {
    const required = (name: string): LookupAnswer =>
      name.startsWith("tags/first/") ? pending : resolved(bucket("us"), bucket("other"));
    const known = knowing(required);
    const [first, second] = [1, 2].map(() => known.find({ ...candidate({}), ...ours }));
    expect(first?.all.map(({ name }) => name)).toEqual(["us", "other"]);
    expect(first?.listed?.name).toBe(listed);
    expect(second?.all).toBe(first?.all);
  });

  test("of one name are asked for and read once, however many places our resources have", () => {
    const [asked, table] = [[] as string[], S3.replace("s3", "dynamodb")];
    const inRegion = (region: string) => ({ path: ["spec", "forProvider", "region"], value: region });
    const regions = Array.from({ length: 10 }, (_, index) => `region-${index}`);
    const all = regions.map((region) => bucket(region).with([inRegion(region)]));
    const required = (name: string): LookupAnswer => {
      if (name.startsWith("tags/first/")) return pending;
      asked.push(name);
      return resolved(...all);
    };
    const known = knowing(required);
    const found = regions.map((region, index) => {
      const declared = { ...orders, account: "default", place: placeIn(region) };
      const [identity, own] = [`hash-${index}`, bucket(region, { [IDENTITY_LABEL]: `hash-${index}` })];
      const ours = candidate({ own: own.with([inRegion(region)]), apiVersion: table });
      return known.find({ ...ours, declared, identity, forms: [{ identity, declared }] });
    });
    expect(found.map((each) => each?.all.map(({ name }) => name))).toEqual(regions.map((region) => [region]));
    expect(asked).toHaveLength(1);
  });
});
