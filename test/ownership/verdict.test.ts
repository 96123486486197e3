import { describe, expect, test } from "vitest";
import { type Contender, Contenders } from "../../src/ownership/contender.ts";
import { judgeOwnership, type Situation } from "../../src/ownership/verdict.ts";
import { contenderWith } from "../../testing/builders/contender.ts";

const contender = (name: string, overrides: Partial<Contender> = {}): Contender =>
  contenderWith({
    name,
    id: `Shop.apps.example.org/${name}#bucket`,
    owner: `Shop.apps.example.org/${name}`,
    uid: name,
    createdAt: "2026-01-01T00:00:00Z",
    identity: "hash",
    observation: "present",
    ...overrides,
  });

const us = contender("us");
const other = contender("other");
const third = contender("third");
const marked = { isMarked: true, isWriting: true };
const older = { createdAt: "2025-01-01T00:00:00Z" };

interface Row extends Partial<Omit<Situation, "contenders">> {
  readonly contenders: readonly Contender[] | undefined;
  readonly reason: string;
  readonly verdict: object;
}

const ours = (others: readonly Contender[], origin = "existed") => ({ is: "ours", others, origin });

const theirs = (owner: Contender, rest: object = {}) => ({
  is: "theirs",
  owner,
  isAcknowledged: false,
  isNext: false,
  ...rest,
});

describe("the verdict on who owns a cloud resource", () => {
  test.each<Row>([
    { reason: "the contenders are not known yet", contenders: undefined, verdict: { is: "pending" } },
    { reason: "we are not in the list", contenders: [], verdict: { is: "free" } },
    { reason: "somebody older is in the list and we are not", contenders: [other], verdict: { is: "free" } },
    { reason: "we are alone", contenders: [us], verdict: ours([]) },
    {
      reason: "we are alone, and our provider has not looked for the cloud resource yet",
      own: { ...us, observation: "unknown" },
      contenders: [us],
      verdict: { is: "unobserved" },
    },
    {
      reason: "we are alone, and our provider found no cloud resource: ours is about to create it",
      own: { ...us, observation: "absent" },
      contenders: [us],
      verdict: ours([], "unknown"),
    },
    {
      reason: "we are alone, and our provider created the cloud resource",
      own: { ...us, isCreated: true },
      contenders: [us],
      verdict: ours([], "created"),
    },
    {
      reason: "the cloud resource existed before, and nothing tells who else writes it",
      contenders: [us, other],
      reportsTags: false,
      verdict: { is: "existed" },
    },
    ...[
      { reason: "our provider found none", own: { ...us, observation: "absent" as const }, origin: "unknown" },
      { reason: "ours writes it since before this step was there", own: { ...us, isWriting: true } },
      { reason: "an operator gives it to us", own: { ...us, takeOwnership: "2026" } },
      { reason: "ours has seen an owner before", own: { ...us, knowsOwner: true } },
      { reason: "ours may delete it", own: { ...us, isCreated: true }, origin: "created" },
    ].map(({ reason, own, origin }) => ({
      reason: `nothing tells who else writes the cloud resource, and ${reason}`,
      own,
      contenders: [us],
      reportsTags: false,
      verdict: ours([], origin),
    })),
    {
      reason: "nothing tells who else writes the cloud resource, and another of us has created it",
      contenders: [us, { ...other, ...older, isCreated: true }],
      reportsTags: false,
      verdict: theirs({ ...other, ...older, isCreated: true }),
    },
    {
      reason: "we come first, and the provider of another of us created the cloud resource",
      own: { ...us, ...older },
      contenders: [
        { ...us, ...older },
        { ...other, isCreated: true },
      ],
      verdict: ours([{ ...other, isCreated: true }], "created"),
    },
    {
      reason: "we were promoted, and our provider cannot be asked at the moment",
      own: { ...us, ...marked, observation: "unknown" },
      contenders: [{ ...us, ...marked }],
      verdict: ours([], "unknown"),
    },
    {
      reason: "ours writes since before this step was there, whatever its provider has seen",
      own: { ...us, isWriting: true, observation: "unknown" },
      contenders: [us],
      verdict: ours([], "unknown"),
    },
    {
      reason: "ours is not created yet, and another owns it",
      own: undefined,
      contenders: [{ ...other, ...marked }],
      verdict: theirs({ ...other, ...marked }),
    },
    {
      reason: "ours is not created yet, and nobody owns it",
      own: undefined,
      contenders: [other],
      verdict: { is: "free" },
    },
    {
      reason: "our kind cannot observe, and nobody else is there",
      own: undefined,
      contenders: [],
      hasManagementPolicies: false,
      verdict: ours([], "unknown"),
    },
    {
      reason: "our kind cannot observe, and somebody else is there first",
      own: undefined,
      contenders: [other],
      hasManagementPolicies: false,
      verdict: theirs(other),
    },
    { reason: "the other is older", contenders: [us, { ...other, ...older }], verdict: theirs({ ...other, ...older }) },
    {
      reason: "both are of the same age, and the UID of the other sorts first",
      contenders: [us, other],
      verdict: theirs(other),
    },
    {
      reason: "we are the oldest of three",
      own: { ...us, ...older },
      contenders: [other, { ...us, ...older }, third],
      verdict: ours([other, third]),
    },
    {
      reason: "we are older, but the other was promoted",
      own: { ...us, ...older },
      contenders: [
        { ...us, ...older },
        { ...other, ...marked },
      ],
      verdict: theirs({ ...other, ...marked }),
    },
    {
      reason: "the other is older, but we were promoted",
      own: { ...us, ...marked },
      contenders: [
        { ...us, ...marked },
        { ...other, ...older },
      ],
      verdict: ours([{ ...other, ...older }]),
    },
    {
      reason: "both were promoted in the same second, and the UID of the other sorts first",
      own: { ...us, ...marked },
      contenders: [
        { ...us, ...marked },
        { ...other, ...marked },
      ],
      verdict: theirs({ ...other, ...marked }),
    },
    {
      reason: "the owner has acknowledged us",
      contenders: [us, { ...other, ...marked, acknowledged: new Set(["us"]) }],
      verdict: theirs({ ...other, ...marked, acknowledged: new Set(["us"]) }, { isAcknowledged: true }),
    },
    {
      reason: "an operator chose us, and the owner still writes",
      own: { ...us, takeOwnership: "2026" },
      contenders: [us, { ...other, ...marked }],
      verdict: theirs({ ...other, ...marked }, { isNext: true }),
    },
    {
      reason: "an operator chose us, and the owner has stepped down",
      own: { ...us, takeOwnership: "2026" },
      contenders: [us, other],
      verdict: ours([other]),
    },
    {
      reason: "an operator chose us, and the managed resource of the owner is paused",
      own: { ...us, takeOwnership: "2026" },
      contenders: [us, { ...other, isMarked: true }],
      verdict: ours([{ ...other, isMarked: true }]),
    },
    {
      reason: "we own it, and an operator chose another",
      own: { ...us, ...marked },
      contenders: [
        { ...us, ...marked },
        { ...other, takeOwnership: "2026" },
      ],
      verdict: theirs({ ...other, takeOwnership: "2026" }),
    },
    {
      reason: "an operator chose both, and us later",
      own: { ...us, takeOwnership: "2027" },
      contenders: [us, { ...other, takeOwnership: "2026" }],
      verdict: ours([{ ...other, takeOwnership: "2026" }]),
    },
    {
      reason: "the deletion of the owner hangs, and it leaves the cloud resource to us",
      contenders: [us, { ...other, isMarked: true, isDeleting: true }],
      verdict: ours([]),
    },
    {
      reason: "the deletion of the owner hangs, and it deletes the cloud resource",
      contenders: [us, { ...other, isMarked: true, isDeleting: true, isDeletingWithIt: true }],
      verdict: theirs({ ...other, isMarked: true, isDeleting: true, isDeletingWithIt: true }, { isNext: true }),
    },
    {
      reason: "ours is being deleted",
      own: { ...us, isDeleting: true },
      contenders: [us],
      verdict: { is: "deleting" },
    },
    {
      reason: "the cloud reports another control plane",
      contenders: [us],
      otherCluster: "prod-us",
      verdict: { is: "theirs", cluster: "prod-us" },
    },
    {
      reason: "the cloud reports another control plane, and an operator chose us",
      own: { ...us, takeOwnership: "2026" },
      contenders: [us],
      otherCluster: "prod-us",
      verdict: ours([]),
    },
  ])("is $verdict.is when $reason", ({ reason: _, verdict, contenders, ...situation }) => {
    const usual = { own: us, otherCluster: undefined, hasManagementPolicies: true, reportsTags: true };
    const known = contenders && new Contenders(contenders);
    expect(judgeOwnership({ ...usual, ...situation, contenders: known })).toEqual(verdict);
  });
});

test("each contender is looked at once for all of an XR's resources, where nothing tells who else writes the cloud resource", () => {
  let looks = 0;
  const bystander = (name: string): Contender => ({
    ...contender(name),
    get knowsOwner() {
      looks++;
      return false;
    },
  });
  const all = Array.from({ length: 10 }, (_, index) => bystander(`us-${index}`));
  const contenders = new Contenders(all);
  const situation = { contenders, otherCluster: undefined, hasManagementPolicies: true, reportsTags: false };
  const verdicts = all.map(({ name }) => judgeOwnership({ ...situation, own: contender(name) }));
  expect(verdicts).toEqual(all.map(() => ({ is: "existed" })));
  expect(looks).toBe(10);
});
