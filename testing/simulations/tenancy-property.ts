import fc from "fast-check";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER, SHARED_FROM } from "../../src/ownership/annotations.ts";
import { anyMove, type Move, type Moves, makeMove, type PartsOf } from "./moves.ts";
import { Tenancy } from "./tenancy.ts";
import { type Composition, HOSTILE } from "./tenancy-composition.ts";
import { DATABASES } from "./tenancy-owner.ts";

const of = fc.constantFrom;
const SECRET_NAMES = ["orders-db", "app-config"] as const;
const NAMESPACES = [["evil"], ["team-a"], ["team-b"], ["kube-system"], ["evil", "team-a"], ["Not A Name"], [], "evil"];

const teams: fc.Arbitrary<readonly string[]> = fc.subarray(["team-a", "team-b", HOSTILE]);

const PARTS = {
  team: of("team-a", "team-b", HOSTILE),
  /** The team that has Secrets of its own. */
  hand: of("team-b", HOSTILE),
  database: of(...DATABASES),
  label: of(...DATABASES, "nope", ""),
  teams,
  /** The name of a Secret. */
  name: of("orders-db", ...SECRET_NAMES),
  copy: of("", "evil/x", "team-b/orders-db"),
  /** The indices of the references that the hostile team keeps. */
  kept: fc.subarray([0, 1, 2]),
  /** What the hostile team edits of its XR. */
  edit: fc.oneof(
    of(...DATABASES, "nope", "decoy", "../x", "").map((database): JsonObject => ({ database })),
    of(...NAMESPACES).map((namespaces): JsonObject => ({ namespaces })),
    of(...SECRET_NAMES, "Not A Name", "", "admin").map((secretName): JsonObject => ({ secretName })),
  ),
};
type Parts = PartsOf<typeof PARTS>;

/** What anybody may do: reconciles, the owner of the databases, the honest team-b, and the hostile team. */
const MOVES: Moves<Tenancy, Parts> = {
  reconcile: [80, (tenancy, { team }) => tenancy.reconcile(tenancy.consumer(team))],
  provide: [64, ({ world }) => world.provideAll()],
  audit: [48, (tenancy) => tenancy.audit()],

  grant: [40, ({ owner }, { database, teams }) => owner.grant(database, teams)],
  rotate: [10, ({ owner }, { database }) => owner.rotate(database)],
  deleteDatabase: [10, ({ owner }, { database }) => owner.delete(database)],
  createDatabase: [10, ({ owner }, { database }) => owner.create(database)],
  deleteSecret: [10, ({ owner }, { database }) => owner.deleteSecret(database)],
  relabel: [16, ({ owner }, { database }) => owner.label("billing", database)],

  deleteXr: [6, (tenancy) => tenancy.deleteXr(tenancy.consumer("team-b"))],
  createXr: [6, (tenancy) => tenancy.createXr(tenancy.consumer("team-b"))],
  accept: [6, (tenancy) => tenancy.accept("team-b", HOSTILE)],
  acceptNoMore: [6, (tenancy) => tenancy.accept("team-b", "")],
  acceptAll: [2, (tenancy) => tenancy.accept(HOSTILE, "*")],
  acceptNobody: [2, (tenancy) => tenancy.accept(HOSTILE, "")],

  writeSecret: [21, (tenancy, { hand, name }) => tenancy.byHand(hand, name, true)],
  deleteSecretByHand: [11, (tenancy, { hand, name }) => tenancy.byHand(hand, name, false)],

  pause: [8, (tenancy) => tenancy.pause(true)],
  resume: [8, (tenancy) => tenancy.pause(false)],
  editReferences: [20, (tenancy, { kept }) => tenancy.editReferences(kept)],
  edit: [56, (tenancy, { edit }) => tenancy.editSpec(edit)],
  label: [24, ({ hostile }, { label }) => Object.assign(hostile, { labels: { team: label } })],
  forgeRecord: [16, (tenancy, { database, copy }) => tenancy.forgeRecord(database, copy)],
  forgeClaim: [4, (tenancy) => forgeClaim(tenancy)],
  forgeCopy: [4, ({ world }) => world.writeByHand({ namespace: HOSTILE, name: "orders-db" }, { theirs: "" }, MARKS)],
  recreate: [4, (tenancy) => tenancy.recreate()],
  createDecoy: [4, (tenancy) => tenancy.createDecoy()],
  deleteDecoy: [4, (tenancy) => tenancy.deleteDecoy()],

  deleteRecord: [4, (tenancy) => tenancy.deleteRecord()],

  takeOver: [4, (tenancy) => tenancy.takeOver(tenancy.consumer("team-b"))],
};

/** The annotations of an XR's copies, as somebody may write them by hand. */
const MARKS: JsonObject = { [OWNER]: "Shop.apps.example.org/team-a/shop", [SHARED_FROM]: "databases/orders-conn" };

function forgeClaim(tenancy: Tenancy): void {
  tenancy.editSpec({ claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } });
  tenancy.hostile.annotations = MARKS;
}

const composition: fc.Arbitrary<Composition> = fc.record({
  select: of("name", "name", "labels", "labels everywhere"),
  minMatch: of(1, 1, 0),
  namespaces: of("own", "spec"),
  via: of("Object", "Object", "Object with a value", "Secret", "ConnectionSecret"),
  grant: of("Annotation", "ReferenceGrant"),
  resolution: of("Required", "Optional"),
  xrs: of("namespaced", "claimed", "nested"),
  databases: of("namespaced", "clusterScoped"),
  takes: of("copy", "fields", "copy and fields"),
  depends: of("nothing", "patched", "named"),
});

/** @throws {Violation} for what must never happen. */
export function play(tenancy: Tenancy, moves: readonly Move<Partial<Parts>>[]): void {
  for (const each of moves) {
    makeMove(MOVES, tenancy, each as Move<Parts>);
    tenancy.look();
  }
  tenancy.end();
}

/**
 * A property of sharing: whatever a hostile team writes where it may, and in whatever order owners grant, take back, rotate,
 * delete and create anew,
 *
 * - no byte of an owner's Secret is where no grant stands or the namespace does not accept it, and no field of an owner's is in a
 *   status or context, one reconcile and one turn of the provider after it was taken back,
 * - no Secret that somebody else made is written or deleted, and none is put where nobody accepts it,
 * - no honest team's copy or fields go, change their source or flap while their grant stands,
 * - a policy that depends on a grant is never there without it, nor lost by a team that has one,
 * - a copy stays while its source is merely missing,
 * - every XR comes to rest, in six calls at most, and
 * - an owner's list says who uses its database with a grant, and only these protect it.
 */
export const nobodyGains = fc.property(
  fc.tuple(composition, composition, composition),
  fc.boolean(),
  fc.array(anyMove(MOVES, PARTS), { maxLength: 32, size: "max" }),
  (compositions, isTwice, moves) => play(new Tenancy(compositions, isTwice), moves),
);
