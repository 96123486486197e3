import fc from "fast-check";
import type { JsonValue } from "../../src/model/json.ts";
import type { Composition } from "./tenancy-composition.ts";
import { DATABASES, type Database } from "./tenancy-owner.ts";

/** Events in a simulated cluster of several tenants, in any order. */

const HONEST = ["team-a", "team-b"] as const;
export const HOSTILE = "evil";
export const EVERYBODY = [...HONEST, HOSTILE] as const;

export type OfOwner =
  | { readonly is: "grant"; readonly database: Database; readonly teams: readonly string[] }
  | { readonly is: "rotate" | "deleteDatabase" | "createDatabase" | "deleteSecret"; readonly database: Database };

export type Attack =
  | { readonly is: "edit"; readonly field: string; readonly value: JsonValue }
  | { readonly is: "label"; readonly value: string }
  | { readonly is: "forgeClaim" | "forgeCopy" | "recreate" | "createDecoy" | "deleteDecoy" | "toggleAcceptance" };

export type ByHand = {
  readonly is: "writeSecret" | "deleteSecretByHand";
  readonly team: string;
  readonly name: string;
};

export type Event =
  | OfOwner
  | Attack
  | ByHand
  | { readonly is: "reconcile"; readonly team: string }
  | { readonly is: "provide" | "audit" };

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
  via: fc.constantFrom("Object", "Object", "ObjectWithValues", "Secret", "ConnectionSecret"),
  grant: fc.constantFrom("Annotation", "ReferenceGrant"),
  resolution: fc.constantFrom("Required", "Optional"),
  isNamespaced: fc.boolean(),
});

const database = fc.constantFrom(...DATABASES);
const SECRET_NAMES = ["orders-db", "app-config"];

/** A change that a hostile team makes to its XR. */
const edit = fc.oneof(
  fc.record({
    field: fc.constant("database"),
    value: fc.constantFrom<JsonValue>(...DATABASES, "nope", "decoy", "../x", ""),
  }),
  fc.record({
    field: fc.constant("namespaces"),
    value: fc.constantFrom<JsonValue>(
      ["evil"],
      ["team-a"],
      ["kube-system"],
      ["evil", "team-a"],
      ["Not A Name"],
      [],
      "evil",
    ),
  }),
  fc.record({
    field: fc.constant("secretName"),
    value: fc.constantFrom<JsonValue>(...SECRET_NAMES, "Not A Name", "", "admin"),
  }),
);

const happening = <T extends Event["is"]>(is: T): fc.Arbitrary<{ is: T }> => fc.record({ is: fc.constant(is) });

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ is: fc.constant("reconcile" as const), team: fc.constantFrom(...EVERYBODY) }) },
  { weight: 8, arbitrary: happening("provide") },
  { weight: 6, arbitrary: happening("audit") },
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant("grant" as const), database, teams: fc.subarray([...EVERYBODY]) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constantFrom(
        "rotate" as const,
        "deleteDatabase" as const,
        "createDatabase" as const,
        "deleteSecret" as const,
      ),
      database,
    }),
  },
  { weight: 7, arbitrary: edit.map((change) => ({ is: "edit" as const, ...change })) },
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant("label" as const), value: fc.constantFrom(...DATABASES, "nope", "") }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      happening("forgeClaim"),
      happening("forgeCopy"),
      happening("recreate"),
      happening("createDecoy"),
      happening("deleteDecoy"),
      happening("toggleAcceptance"),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constantFrom("writeSecret" as const, "writeSecret" as const, "deleteSecretByHand" as const),
      team: fc.constantFrom("team-b", HOSTILE),
      name: fc.constantFrom("orders-db", ...SECRET_NAMES),
    }),
  },
);

export const past: fc.Arbitrary<Past> = fc.record({
  compositions: fc.tuple(composition, composition, composition),
  isTwice: fc.boolean(),
  events: fc.array(event, { maxLength: 40, size: "max" }),
});

export const isOfOwner = (happening: OfOwner | Attack): happening is OfOwner => "database" in happening;

export const isOfHostile = (happening: Event): boolean =>
  ["edit", "label", "forgeClaim", "forgeCopy", "recreate", "createDecoy", "deleteDecoy", "toggleAcceptance"].includes(
    happening.is,
  ) ||
  ("team" in happening && happening.is !== "reconcile" && happening.team === HOSTILE);
