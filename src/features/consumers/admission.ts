import type { Condition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { composeAnswer } from "../../ownership/answer.ts";
import { capacityCondition, shownCapacity } from "../../ownership/capacity.ts";
import type { JudgedConsumer } from "../../ownership/consumer.ts";
import type { Edits } from "../desired.ts";
import type { Call } from "../feature.ts";

/** The consumers that are admitted, as the answers to them, and how full this XR is. */
export interface Admission {
  readonly answers: Edits;
  readonly conditions: readonly Condition[];
  /** Tells whether a consumer has a place: it is admitted, or does not ask. */
  hasPlace(consumer: JudgedConsumer): boolean;
}

const PREFIX = "consumers/";
const ADMISSION = /^consumers\/admission\/[0-9a-f]{40}$/;

/**
 * Admits consumers while there is room. Who is admitted stays until its record no longer asks for this XR, whatever the capacity is
 * now; one that has lost its grant, until its record no longer says that it is served. Then come those whose records say that they were
 * served, as after a restore, and then the oldest records. A consumer that does not ask to be admitted takes a place, too.
 *
 * @param consumers undefined while it is not known who uses this XR: who is admitted stays, and nobody is added.
 */
export function admit(
  capacity: number | undefined,
  consumers: readonly JudgedConsumer[] | undefined,
  call: Call,
): Admission {
  if (capacity === undefined) return { answers: [], conditions: [], hasPlace: () => true };
  const tickets = readAdmitted(call);
  if (consumers === undefined)
    return {
      answers: toAnswers(tickets, call),
      conditions: shownCapacity(call.composite.document),
      hasPlace: () => true,
    };
  const places = [...new Map(consumers.map((consumer) => [consumer.place.subject, consumer])).values()];
  const isAdmitted = ({ place, isGranted }: JudgedConsumer): boolean =>
    tickets.get(place.subject) === place.ticket && (isGranted || place.isBound);
  const isWaiting = (consumer: JudgedConsumer): boolean =>
    consumer.isGranted && (consumer.isControlled || consumer.place.isBound) && !isAdmitted(consumer);
  const asking = places.filter(({ place }) => place.ticket !== undefined);
  const others = places.filter(
    ({ place, isGranted }) => isGranted && place.ticket === undefined && place.isBound,
  ).length;
  const kept = asking.filter(isAdmitted);
  const room = Math.max(0, capacity - others - kept.length);
  const admitted = [...kept, ...asking.filter(isWaiting).sort(bySeniority).slice(0, room)];
  const now = new Map(admitted.map(({ place }) => [place.subject, place.ticket ?? ""]));
  return {
    answers: toAnswers(now, call),
    conditions: [capacityCondition(others + admitted.length, capacity)],
    hasPlace: ({ place }) => place.ticket === undefined || now.has(place.subject),
  };
}

/** Compares who was served before, and then the ages; equal ones keep their order by namespace and name. */
const bySeniority = ({ place: a }: JudgedConsumer, { place: b }: JudgedConsumer): number =>
  Number(b.isBound) - Number(a.isBound) || (a.since < b.since ? -1 : Number(a.since > b.since));

/** Reads the tickets that are admitted, by subject. */
const readAdmitted = ({ request }: Call): ReadonlyMap<string, string> =>
  new Map(
    [...request.observed.resources]
      .filter(([key]) => ADMISSION.test(key))
      .map(([key, { document }]) => [key.slice(PREFIX.length), stringAt(document, ["data", "ticket"]) ?? ""]),
  );

const toAnswers = (tickets: ReadonlyMap<string, string>, { composite }: Call): Admission["answers"] =>
  [...tickets].map(([subject, ticket]) => [
    `${PREFIX}${subject}`,
    { is: "set", object: composeAnswer(composite, subject, { ticket }), ready: "True" },
  ]);
