import type { JsonObject } from "../../src/model/json.ts";
import { Violation } from "./control-plane.ts";
import { type Name, nameOf, SECRET } from "./store.ts";
import { askingNamespace, copiesIn, databasesIn, fieldsIn, type Owner } from "./tenancy-owner.ts";
import { isDeleting, targetOf } from "./tenancy-provider.ts";
import { type Consumer, keyOf, type TenancyWorld } from "./tenancy-world.ts";

/** Watches what honest teams have and may count on. */
export class Watch {
  readonly #world: TenancyWorld;
  readonly #owner: Owner;
  /** Those that have a copy. */
  readonly #served = new Set<Consumer>();
  /** Those that have fields of the database. */
  readonly #informed = new Set<Consumer>();

  constructor(world: TenancyWorld, owner: Owner) {
    this.#world = world;
    this.#owner = owner;
  }

  forget(consumer: Consumer): void {
    this.forgetCopy(consumer);
    this.#informed.delete(consumer);
  }

  forgetCopy(consumer: Consumer): void {
    this.#served.delete(consumer);
  }

  /** A copy that an honest team has stays, and what is in it comes from the same source; so do its fields. */
  look(honest: readonly Consumer[]): void {
    for (const consumer of honest) {
      const isMissing = !this.#owner.exists("orders");
      if (isMissing || this.#owner.grants("orders", consumer.team)) {
        this.#watchGranted(consumer);
        this.#watchFields(consumer);
      } else this.forget(consumer);
    }
  }

  /** A database that is gone may be replaced by another one with its labels, also by a team's own. */
  #isReplaced(consumer: Consumer): boolean {
    const isReplaced = !this.#owner.exists("orders") && consumer.composition.select !== "name";
    if (isReplaced) this.forget(consumer);
    return isReplaced;
  }

  #watchFields(consumer: Consumer): void {
    const found = fieldsIn(JSON.stringify(consumer.status));
    if (found.includes("orders")) this.#informed.add(consumer);
    else if (this.#informed.has(consumer) && !this.#isReplaced(consumer))
      throw new Violation(`${consumer.team} has lost its fields`);
  }

  #watchGranted(consumer: Consumer): void {
    const copy = this.#world.store.get(SECRET, targetNameOf(consumer));
    if (copy !== undefined && databasesIn(copy).includes("orders")) {
      if (this.#owner.exists("orders") && this.#isKept(consumer, copy)) this.#served.add(consumer);
    } else if (this.#served.has(consumer) && !this.#isReplaced(consumer)) {
      throw new Violation(`${consumer.team} has lost its copy`);
    }
  }

  /** Tells whether the XR made the copy and no resource composed for it is being deleted. */
  #isKept(consumer: Consumer, copy: JsonObject): boolean {
    const isOwn = this.#world.makerOf(copy) === consumer;
    const key = keyOf(nameOf(copy));
    const objects = this.#world.objects.filter((object) => keyOf(targetOf(object) ?? { name: "" }) === key);
    return isOwn && objects.every((object) => !isDeleting(object)) && consumer.references.length > 0;
  }
}

const targetNameOf = ({ team }: Consumer): Name => ({ namespace: team, name: "orders-db" });

/** @param forger the team that has edited its record, which says what the fields in its own status are of. */
export function assertGranted(world: TenancyWorld, owner: Owner, forger: Consumer | undefined): void {
  for (const copy of copiesIn(world)) assertCopyGranted(copy, world, owner);
  for (const consumer of world.consumers) assertFieldsGranted(consumer, owner, consumer === forger);
}

function assertCopyGranted(copy: JsonObject, world: TenancyWorld, owner: Owner): void {
  const maker = world.makerOf(copy);
  if (maker === "hand") return;
  world.assertAccepted(nameOf(copy), maker);
  const team = askingNamespace(copy, maker);
  for (const found of databasesIn(copy)) {
    if (!owner.exists(found) || owner.grants(found, team)) continue;
    throw new Violation(`${keyOf(nameOf(copy))} holds bytes of ${found}, which is not granted to ${team}`);
  }
}

function assertFieldsGranted({ team, status, context }: Consumer, owner: Owner, isForger: boolean): void {
  const [told] = fieldsIn(context).filter((database) => !owner.grants(database, team));
  if (told !== undefined) throw new Violation(`the context of ${team} has ${told}, which is not granted to it`);
  const [shown] = fieldsIn(JSON.stringify(status)).filter(
    (database) => owner.exists(database) && !owner.grants(database, team),
  );
  if (shown !== undefined && !isForger)
    throw new Violation(`the status of ${team} has fields of ${shown}, which is not granted to it`);
}
