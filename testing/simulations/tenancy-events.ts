import fc from "fast-check";
import type { JsonValue } from "../../src/model/json.ts";
import { is } from "./kind.ts";
import type { Composition } from "./tenancy-composition.ts";
import { DATABASES, type Database } from "./tenancy-owner.ts";

/** Events in a simulated cluster of several tenants, in any order. */

const HONEST = ["team-a", "team-b"] as const;
export const HOSTILE = "evil";
export const EVERYBODY = [...HONEST, HOSTILE] as const;

export type OfOwner =
  | { readonly is: "grant"; readonly database: Database; readonly teams: readonly string[] }
  | { readonly is: "rotate" | "deleteDatabase" | "createDatabase" | "deleteSecret"; readonly database: Database }
  | { readonly is: "relabel"; readonly label: Database };

export type Attack =
  | { readonly is: "edit"; readonly field: string; readonly value: JsonValue }
  | { readonly is: "label"; readonly value: string }
  | { readonly is: "forgeRecord"; readonly database: Database; readonly copy: string }
  | { readonly is: (typeof ATTACKS)[number] };

const ATTACKS = [
  "forgeClaim",
  "forgeCopy",
  "recreate",
  "createDecoy",
  "deleteDecoy",
  "toggleAcceptance",
  "deleteRecord",
  "takeOver",
] as const;

export type ByHand = {
  readonly is: "writeSecret" | "deleteSecretByHand";
  readonly team: string;
  readonly name: string;
};

/** What an honest team does with its own XR and Namespace. */
export type Own = { readonly is: "deleteXr" | "createXr" | "accept" | "acceptNoMore"; readonly owns: "team-b" };

export type Event =
  | Own
  | OfOwner
  | Attack
  | ByHand
  | { readonly is: "reconcile"; readonly team: string }
  | { readonly is: "provide" }
  | { readonly is: "audit" };

export interface Past {
  readonly compositions: readonly [Composition, Composition, Composition];
  /** True if the first team's XR names its namespace twice. */
  readonly isTwice: boolean;
  readonly events: readonly Event[];
}

const composition: fc.Arbitrary<Composition> = fc.record({
  select: fc.constantFrom("name", "name", "labels", "labels everywhere"),
  minMatch: fc.constantFrom(1, 1, 0),
  namespaces: fc.constantFrom("own", "spec"),
  via: fc.constantFrom("Object", "Object", "Object with a value", "Secret", "ConnectionSecret"),
  grant: fc.constantFrom("Annotation", "ReferenceGrant"),
  resolution: fc.constantFrom("Required", "Optional"),
  xrs: fc.constantFrom("namespaced", "claimed", "nested"),
  databases: fc.constantFrom("namespaced", "clusterScoped"),
  takes: fc.constantFrom("copy", "fields", "copy and fields"),
});

const database = fc.constantFrom(...DATABASES);
const SECRET_NAMES = ["orders-db", "app-config"];

const NAMESPACES = [["evil"], ["team-a"], ["team-b"], ["kube-system"], ["evil", "team-a"], ["Not A Name"], [], "evil"];

const editing = (field: string, ...values: readonly JsonValue[]) =>
  fc.record({ is: fc.constant("edit" as const), field: fc.constant(field), value: fc.constantFrom(...values) });

/** A change that a hostile team makes to its XR. */
const edit = fc.oneof(
  editing("database", ...DATABASES, "nope", "decoy", "../x", ""),
  editing("namespaces", ...NAMESPACES),
  editing("secretName", ...SECRET_NAMES, "Not A Name", "", "admin"),
);

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ ...is("reconcile"), team: fc.constantFrom(...EVERYBODY) }) },
  { weight: 8, arbitrary: fc.record(is("provide")) },
  { weight: 6, arbitrary: fc.record(is("audit")) },
  { weight: 5, arbitrary: fc.record({ ...is("grant"), database, teams: fc.subarray([...EVERYBODY]) }) },
  {
    weight: 5,
    arbitrary: fc.record({ ...is("rotate", "deleteDatabase", "createDatabase", "deleteSecret"), database }),
  },
  { weight: 7, arbitrary: edit },
  { weight: 3, arbitrary: fc.record({ ...is("label"), value: fc.constantFrom(...DATABASES, "nope", "") }) },
  {
    weight: 4,
    arbitrary: fc.record(is(...ATTACKS)),
  },
  {
    weight: 2,
    arbitrary: fc.record({ ...is("forgeRecord"), database, copy: fc.constantFrom("", "evil/x", "team-b/orders-db") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...is("deleteXr", "createXr", "accept", "acceptNoMore"),
      owns: fc.constant("team-b" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...is("relabel"), label: database }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...is("writeSecret", "writeSecret", "deleteSecretByHand"),
      team: fc.constantFrom("team-b", HOSTILE),
      name: fc.constantFrom("orders-db", ...SECRET_NAMES),
    }),
  },
);

export const past: fc.Arbitrary<Past> = fc.record({
  compositions: fc.tuple(composition, composition, composition),
  isTwice: fc.boolean(),
  events: fc.array(event, { maxLength: 32, size: "max" }),
});

export const isOfHostile = (happening: Event): boolean =>
  ["edit", "label", "forgeRecord", ...ATTACKS].includes(happening.is) ||
  ("team" in happening && happening.is !== "reconcile" && happening.team === HOSTILE);
