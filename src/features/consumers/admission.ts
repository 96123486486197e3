import type { Consumers } from "../../input/consumers.ts";
import { compareTexts } from "../../model/collections.ts";
import type { Condition } from "../../model/condition.ts";
import { ANSWER_FIELDS, composeAnswer, readAnswer } from "../../records/answer.ts";
import { capacityCondition, shownCapacity } from "../../records/capacity.ts";
import type { JudgedConsumer } from "../../records/consumer.ts";
import { type Edits, keepObserved, observedOwn } from "../desired.ts";
import type { Call } from "../feature.ts";
import type { JudgedConsumers } from "./owner-facts.ts";

interface Admission {
  readonly answers: Edits;
  readonly conditions: readonly Condition[];
  /** The consumers that are admitted, or do not ask to be admitted; undefined while the consumers are unknown. */
  readonly placed: JudgedConsumers;
}

const answerKey = (subject: string): string => `consumers/${subject}`;

/**
 * Admits consumers while the capacity lasts, in this order:
 *
 * 1. Admitted consumers, while their records ask for this XR. A consumer without a grant stays admitted only while its
 *    record says that it is served. A smaller capacity takes no place away.
 * 2. Consumers whose records say that they were served, as after a restore.
 * 3. The consumers with the oldest records.
 *
 * Consumers that do not ask to be admitted take places, too. While the consumers are unknown, all answers stay, and none
 * is added.
 */
export function admit({ capacity }: Consumers, consumers: JudgedConsumers, call: Call): Admission {
  if (capacity === undefined) return { answers: [], conditions: [], placed: consumers };
  if (consumers === undefined) {
    const answers = keepObserved(answerKey("admission/"), ANSWER_FIELDS, call);
    return { answers, conditions: shownCapacity(call.composite.document), placed: undefined };
  }
  const isAdmitted = ({ place, isGranted }: JudgedConsumer): boolean => {
    const answer = observedOwn(answerKey(place.subject), call);
    return answer !== undefined && readAnswer(answer).ticket === place.ticket && (isGranted || place.isBound);
  };
  const isWaiting = (consumer: JudgedConsumer): boolean =>
    consumer.isGranted && (consumer.isControlled || consumer.place.isBound) && !isAdmitted(consumer);
  // A share has one consumer for each copy, but takes one place. If a copy has a grant, that copy's consumer counts.
  const byCopy = [...consumers, ...consumers.filter(({ isGranted }) => isGranted)];
  const places = [...new Map(byCopy.map((consumer) => [consumer.place.subject, consumer])).values()];
  const asking = places.filter(({ place }) => place.ticket !== undefined);
  const notAsking = places.filter(({ place, isGranted }) => isGranted && place.ticket === undefined && place.isBound);
  const kept = asking.filter(isAdmitted);
  const room = Math.max(0, capacity - notAsking.length - kept.length);
  const admitted = [...kept, ...asking.filter(isWaiting).sort(bySeniority).slice(0, room)];
  const subjects = new Set(admitted.map(({ place }) => place.subject));
  return {
    answers: admitted.map(({ place: { subject, ticket } }) => [
      answerKey(subject),
      { is: "set", object: composeAnswer(call.composite, subject, { ticket }), ready: "True" },
    ]),
    conditions: [capacityCondition(notAsking.length + admitted.length, capacity)],
    placed: consumers.filter(({ place }) => place.ticket === undefined || subjects.has(place.subject)),
  };
}

/** Compares consumers for sorting: first those that were served before, then those with older records. */
const bySeniority = ({ place: a }: JudgedConsumer, { place: b }: JudgedConsumer): number =>
  Number(b.isBound) - Number(a.isBound) || compareTexts(a.since, b.since);
