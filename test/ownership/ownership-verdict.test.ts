import { expect, test } from "vitest";
import type { Contender } from "../../src/ownership/contender.ts";
import { asListed } from "../../src/ownership/contenders.ts";
import { judgeOwnership, type Situation } from "../../src/ownership/ownership-verdict.ts";
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
const usAs = (overrides: Partial<Contender>): Contender => ({ ...us, ...overrides });
const otherAs = (overrides: Partial<Contender>): Contender => ({ ...other, ...overrides });

const marked = { isMarked: true, isWriting: true };
const older = { createdAt: "2025-01-01T00:00:00Z" };
const hanging = otherAs({ isMarked: true, isDeleting: true });
const [oldUs, markedUs, chosenUs] = [usAs(older), usAs(marked), usAs({ takeOwnership: "2026" })];
const [oldOther, markedOther, chosenOther] = [otherAs(older), otherAs(marked), otherAs({ takeOwnership: "2026" })];
const [createdOther, pausedOther] = [otherAs({ isCreated: true }), otherAs({ isMarked: true })];
const acknowledging = otherAs({ ...marked, acknowledged: new Set(["us"]) });
const oldCreator = otherAs({ ...older, isCreated: true });
const [unasked, missing, created] = [
  usAs({ observation: "unknown" }),
  usAs({ observation: "absent" }),
  usAs({ isCreated: true }),
];
const orphan = { ...markedOther, isControlled: false };
const writer = otherAs({ isWriting: true, isControlled: false });
const leaving = { ...orphan, isWriting: false, isDeleting: true, mayDelete: true };
const oldGoing = otherAs({ isDeleting: true });
const going = usAs({ isDeleting: true });
const taking = { ...hanging, mayDelete: true };

const ours = (others: readonly Contender[], origin = "existed") => ({ is: "ours", others, origin });

const none = { isAcknowledged: false, isNext: false };
const theirs = (owner: Contender, rest: object = {}) => ({ is: "theirs", owner, ...none, ...rest });

const free = { is: "free" };
const untold = { reportsTags: false };
const absent = { own: undefined };
const blind = { own: undefined, hasManagementPolicies: false };
const [chosen, elsewhere] = [{ own: chosenUs }, { otherCluster: "prod-us" }];
const [isNext, later] = [{ isNext: true }, { takeOwnership: "2027" }];

/** A situation: ours is `us` in it unless `rest` says otherwise. */
const when = (
  reason: string,
  contenders: readonly Contender[] | undefined,
  verdict: { readonly is: string; readonly cluster?: string },
  rest: Partial<Omit<Situation, "contenders">> = {},
) => ({ reason, contenders, verdict, rest });

/** Nothing tells who else writes the cloud resource, and ours owns it all the same. */
const untoldTo = (reason: string, own: Contender, origin?: string) =>
  when(`nothing tells who else writes the cloud resource, and ${reason}`, [us], ours([], origin), { own, ...untold });

const unknown = { observation: "unknown" } as const;
const [mute, early] = [usAs({ ...marked, ...unknown }), usAs({ isWriting: true, ...unknown })];
test.each([
  when("the contenders are not known yet", undefined, { is: "pending" }),
  when("we are not in the list", [], free),
  when("somebody older is in the list and we are not", [other], free),
  when("we are alone", [us], ours([])),
  when("we are alone, and our provider has not looked yet", [us], { is: "unobserved" }, { own: unasked }),
  when("we are alone, and import what is not there", [us], { is: "missing" }, { own: missing, isImported: true }),
  when("we import what is there", [us], ours([]), { isImported: true }),
  when("we are alone, and ours is about to create it", [us], ours([], "unknown"), { own: missing }),
  when("we are alone, and our provider created it", [us], ours([], "created"), { own: created }),
  when("it existed before, and nothing tells who else writes it", [us, other], { is: "existed" }, untold),
  untoldTo("our provider found none", missing, "unknown"),
  untoldTo("ours writes it since before this step was there", usAs({ isWriting: true })),
  untoldTo("an operator gives it to us", chosenUs),
  untoldTo("ours has seen an owner before", usAs({ knowsOwner: true })),
  untoldTo("ours may delete it", created, "created"),
  when("nothing tells who else writes it, and another created it", [us, oldCreator], theirs(oldCreator), untold),
  when("another's provider created it", [oldUs, createdOther], ours([createdOther], "created"), { own: oldUs }),
  when("we were promoted, and our provider cannot be asked now", [mute], ours([], "unknown"), { own: mute }),
  when("ours writes since before this step was there", [us], ours([], "unknown"), { own: early }),
  when("ours is not created yet, and another owns it", [markedOther], theirs(markedOther), absent),
  when("ours is not created yet, and nobody owns it", [other], free, absent),
  when("our kind cannot observe, and nobody else is there", [], ours([], "unknown"), blind),
  when("our kind cannot observe, and somebody else is there first", [other], theirs(other), blind),
  when("our kind cannot observe, and another is being deleted", [oldGoing], theirs(oldGoing), blind),
  when("our kind cannot observe, and its provider has not looked", [unasked], ours([], "unknown"), {
    ...blind,
    own: unasked,
  }),
  when("another one may be about to create it", [us], { is: "unobserved" }, { mayBeCreatedByAnother: true }),
  when("the other is older", [us, oldOther], theirs(oldOther)),
  when("both are of the same age, and the UID of the other sorts first", [us, other], theirs(other)),
  when("we are the oldest of three", [other, oldUs, third], ours([other, third]), { own: oldUs }),
  when("we are older, but the other was promoted", [oldUs, markedOther], theirs(markedOther), { own: oldUs }),
  when("the other is older, but we were promoted", [markedUs, oldOther], ours([oldOther]), { own: markedUs }),
  when("both were promoted in one second", [markedUs, markedOther], theirs(markedOther), { own: markedUs }),
  when("the owner has acknowledged us", [us, acknowledging], theirs(acknowledging, { isAcknowledged: true })),
  when("an operator chose us, and the owner still writes", [us, markedOther], theirs(markedOther, isNext), chosen),
  when("an operator chose us, and the owner has stepped down", [us, other], ours([other]), chosen),
  when("an operator chose us, and the owner's is paused", [us, pausedOther], ours([pausedOther]), chosen),
  when("an operator chose us, and no XR controls the owner", [us, orphan], ours([orphan]), chosen),
  when("no operator did, and no XR controls the owner", [us, orphan], theirs(orphan)),
  when("none did, and a younger one writes it that no XR controls", [oldUs, writer], theirs(writer, isNext), {
    own: oldUs,
  }),
  when("one did, and such an owner deletes it", [us, leaving], theirs(leaving, isNext), chosen),
  when("we own it, and an operator chose another", [markedUs, chosenOther], theirs(chosenOther), { own: markedUs }),
  when("an operator chose both, and us later", [us, chosenOther], ours([chosenOther]), { own: usAs(later) }),
  when("the deletion of the owner hangs, and it leaves the cloud resource to us", [us, hanging], ours([])),
  when("the deletion of the owner hangs, and it deletes the cloud resource", [us, taking], theirs(taking, isNext)),
  when("ours is being deleted", [us], { is: "deleting" }, { own: going }),
  when("ours is being deleted, and not in the list", [], { is: "deleting" }, { own: going }),
  when("ours is, and the list is not known", undefined, { is: "deleting" }, { own: going }),
  when("ours is, and is another's", [us], { is: "elsewhere", cluster: "prod-us" }, { own: going, ...elsewhere }),
  when("the cloud reports another control plane", [us], { is: "elsewhere", cluster: "prod-us" }, elsewhere),
  when("it does, and an operator chose us", [us], ours([]), { ...chosen, ...elsewhere }),
])("the verdict on who owns a cloud resource is $verdict.is when $reason", ({ verdict, contenders, rest }) => {
  const told = { otherCluster: undefined, isImported: false, reportsTags: true, mayBeCreatedByAnother: false };
  const usual = { own: us, hasManagementPolicies: true, ...told };
  const situation = { ...usual, ...rest };
  const found = asListed(contenders, situation.own);
  expect(judgeOwnership({ ...situation, contenders: found })).toEqual(verdict);
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
  const situation = {
    otherCluster: undefined,
    hasManagementPolicies: true,
    isImported: false,
    reportsTags: false,
    mayBeCreatedByAnother: false,
  };
  const verdicts = all.map((listed) =>
    judgeOwnership({ ...situation, contenders: { all, listed }, own: contender(listed.name) }),
  );
  expect(verdicts).toEqual(all.map(() => ({ is: "existed" })));
  expect(looks).toBe(10);
});
