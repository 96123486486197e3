import type { Connection } from "../../input/connection.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Call } from "../feature.ts";
import { type Access, accessTo } from "./access.ts";
import { isNeeded, readSecret, type SourceSecret } from "./data.ts";
import { type Finding, nameOf } from "./find.ts";
import type { Question } from "./question.ts";
import { type SecretName, sourceOf } from "./source.ts";
import type { Standing } from "./standing.ts";
import { faultOf, type Target, targetsOf } from "./target.ts";

/** What is to become of the copies of one shared resource's connection Secret. */
export type Verdict =
  | Copying
  | { readonly is: "nothingToCopy" }
  | { readonly is: "keep"; readonly standing: Standing }
  | { readonly is: "drop"; readonly standing: Standing };

/** Where copies are to go; each target is judged for itself (copy.ts). */
export interface Copying {
  readonly is: "copy";
  readonly source: SecretName;
  readonly secret: SourceSecret;
  readonly granted: readonly Target[];
  /** Granted too, but an earlier copy of this input has them. */
  readonly taken: readonly { readonly target: Target; readonly holder: string }[];
  /** Why namespaces go without: the owner does not grant them, or no longer does. */
  readonly refusal: Standing | undefined;
  readonly onSourceMissing: Connection["onSourceMissing"];
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly questions: readonly Question[];
}

const decided = (verdict: Verdict, questions: readonly Question[] = []): Judgement => ({ verdict, questions });

/**
 * Judges one shared resource.
 *
 * - What we cannot tell yet (a field not set, an answer pending, several matches, names that are no names) keeps what is there.
 * - A source that is gone keeps it too, unless the input says `onSourceMissing: Delete`: applications go on working.
 * - Only targets in namespaces that the owner grants are copied to. A grant taken back takes the copy away.
 * - The source Secret is asked for last: when every namespace has been judged, one of them is granted, and a delivery needs it.
 */
export function judge(shared: SharedResource, finding: Finding, call: Call): Judgement {
  const { connection, kind } = shared;
  switch (finding.is) {
    case "unset":
      return decided({ is: "keep", standing: { is: "FieldNotSet", field: finding.field } });
    case "pending":
      return decided({ is: "keep", standing: { is: "WaitingForRequiredResources", wanted: kind } });
    case "ambiguous":
      return decided({ is: "keep", standing: { is: "Ambiguous", names: finding.names } });
    case "tooFew":
      return decided(withoutSource(connection, toStanding(finding)));
    case "found": {
      const [resource] = finding.resources;
      if (connection === undefined || resource === undefined) return decided({ is: "nothingToCopy" });
      return judgeFound(shared, connection, resource, call);
    }
  }
}

const toStanding = ({ wanted, found, minMatch }: Extract<Finding, { is: "tooFew" }>): Standing =>
  found === 0 ? { is: "NotFound", wanted } : { is: "TooFewMatches", wanted, found, minMatch };

const withoutSource = (connection: Connection | undefined, standing: Standing): Verdict => ({
  is: connection?.onSourceMissing === "Delete" ? "drop" : "keep",
  standing,
});

function judgeFound(shared: SharedResource, connection: Connection, resource: Document, call: Call): Judgement {
  const source = sourceOf(resource, connection.secretRef);
  if (source.is === "missing") {
    const field = formatFieldPath(connection.secretRef.nameFieldPath);
    return decided(withoutSource(connection, { is: "NoConnectionSecret", shared: nameOf(resource), field }));
  }
  if (source.is === "foreign") {
    return decided({
      is: "keep",
      standing: { is: "SourceNotAllowed", shared: nameOf(resource), secret: source.secret },
    });
  }
  const targets = targetsOf(connection.copies, call);
  if (targets.is === "unset") return decided({ is: "keep", standing: { is: "FieldNotSet", field: targets.field } });
  const [fault] = targets.value.flatMap((target) => faultOf(target, source.secret, call) ?? []);
  if (fault !== undefined) return decided({ is: "keep", standing: { is: "InvalidTarget", fault } });

  const access = accessTo(shared, resource, source.secret, call);
  if (access.is === "pending") {
    const standing: Standing = { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" };
    return decided({ is: "keep", standing }, access.questions);
  }
  return judgeGranted(
    shared.name,
    connection,
    { source: source.secret, shared: nameOf(resource), access },
    targets.value,
    call,
  );
}

interface Accessible {
  readonly source: SecretName;
  readonly shared: string;
  readonly access: Extract<Access, { is: "known" }>;
}

function judgeGranted(
  name: string,
  { onSourceMissing }: Connection,
  { source, shared, access }: Accessible,
  targets: readonly Target[],
  call: Call,
): Judgement {
  const granted = targets.filter(({ namespace }) => access.isGranted(namespace));
  const refused = targets.filter((target) => !granted.includes(target)).map(({ namespace }) => namespace);
  const namespaces = [...new Set(refused)].sort();
  const refusal: Standing | undefined =
    namespaces.length === 0
      ? undefined
      : { is: "AccessNotGranted", shared, namespaces, remedy: access.remedy(namespaces) };
  const copying = { is: "copy", source, granted, taken: [], refusal, onSourceMissing } as const;
  if (!granted.some(({ copy }) => isNeeded(copy))) {
    return decided({ ...copying, secret: { is: "pending" } }, access.questions);
  }
  const [question, secret] = readSecret(name, source, call);
  return decided({ ...copying, secret }, [...access.questions, question]);
}
