import { toRequirement } from "../../crossplane/requirement-names.ts";
import { type Consumer, compareConsumers, toConsumers } from "../../ownership/consumer.ts";
import { RECORD_KINDS, usesLabel } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import type { Owner } from "./owner.ts";

/** Finds the consumers by the records of their XRs. @returns undefined until all have been looked up. */
export function findConsumers(owner: Owner, { requirements }: Call): readonly Consumer[] | undefined {
  if (owner.is !== "found") return undefined;
  const { composite } = owner;
  const match = { labels: { [usesLabel(composite)]: "true" } };
  const answers = Object.values(RECORD_KINDS).map((kind) =>
    requirements.ask(toRequirement(`consumers/${kind.kind}`, { ...kind, match })),
  );
  const records = answers.map((answer) => (answer.is === "pending" ? undefined : answer.items));
  if (!records.every((items) => items !== undefined)) return undefined;
  return records
    .flat()
    .flatMap((record) => toConsumers(record, composite))
    .sort(compareConsumers);
}
