import type { Grantee } from "../../crossplane/grants.ts";
import type { Consumers } from "../../input/consumers.ts";
import type { ValueEdit } from "../../model/document.ts";
import { withCompositeValues, withCondition, withResources } from "../../model/draft.ts";
import { type JudgedConsumer, judgeConsumers } from "../../ownership/consumer.ts";
import type { Call, Feature } from "../feature.ts";
import { type FittedStatus, fitStatus } from "../fit-status.ts";
import { type Access, findAccess, findReferenceAccess, type KnownAccess, type ReferenceAccess } from "./access.ts";
import { admit } from "./admission.ts";
import { type ConsumersReason, withConsumersCondition } from "./condition.ts";
import { type CredentialsState, makeCredentials, toEdits } from "./credentials.ts";
import { findConsumers, findOwner, type Owner } from "./find.ts";
import { formatCoarse, toCoarse, toStatus } from "./list.ts";
import { keepProtection, protect } from "./protect.ts";
import { type Allowed, isTooMany, MAX_REMEMBERED, withRotation } from "./rotation.ts";

/** The state of the consumers, as far as it is known. */
interface State {
  readonly owner: Owner;
  readonly access: Access;
  readonly references: ReferenceAccess;
  /** Who has access by one or the other. */
  readonly allowed: Allowed | undefined;
  /** Undefined while an answer is missing. */
  readonly consumers: readonly JudgedConsumer[] | undefined;
  /** Undefined where the input asks for none. */
  readonly credentials: CredentialsState | undefined;
}

/**
 * Serves the consumers of a shared XR, this one or the one whose companion it is: lists them, keeps the shared XR from being deleted while
 * there are some, and gives each namespace that is granted a credential of its own.
 */
export const consumers: Feature = (call, draft) => {
  const section = call.input.spec.consumers;
  if (section === undefined) return draft;
  const owner = findOwner(section, call);
  const found = needsRecords(section) ? findConsumers(owner, call) : [];
  const access = findAccess(section, owner, call);
  const references = findReferenceAccess(section, owner, call);
  const known = access.is === "known" ? access : undefined;
  const { grantees } = references;
  const judged = known && grantees && found && judgeConsumers(found, known.isGranted, grantees);
  const admission = admit(section.capacity, judged, call);
  const placed = judged?.filter(admission.hasPlace);
  const state: State = {
    owner,
    access,
    references,
    allowed: known && grantees && withGrantees(known, grantees),
    consumers: judged,
    // A missing ReferenceGrant kind must not keep credentials that the annotations no longer grant.
    credentials: section.credentials && makeCredentials(section.credentials, known, placed ?? found, call),
  };
  const served = withResources(draft, [
    ...(section.protect ? toProtection(placed, owner, call) : []),
    ...admission.answers,
    ...(state.credentials ? toEdits(state.credentials, owner, call) : []),
  ]);
  const status = fitStatus(toList(section, state, call), call);
  const conditioned = admission.conditions.reduce(withCondition, served);
  const listed = withCompositeValues(conditioned, status.values);
  const rotated = section.rotation === undefined ? listed : withRotation(listed, section.rotation, state.allowed, call);
  return withConsumersCondition(rotated, [...findReasons(section, state), ...toLacking(status)], call);
};

const needsRecords = ({ list, protect: isProtected, capacity, credentials }: Consumers): boolean =>
  isProtected || [list, capacity, credentials].some((field) => field !== undefined);

const withGrantees = ({ isForAll, namespaces }: KnownAccess, grantees: readonly Grantee[]): Allowed => ({
  isForAll,
  namespaces: [...new Set([...namespaces, ...grantees.map(({ namespace }) => namespace)])],
});

const toProtection = (known: readonly JudgedConsumer[] | undefined, owner: Owner, call: Call) =>
  known === undefined || owner.is !== "found" ? keepProtection(call) : protect(known, owner.composite, call);

const toLacking = ({ lacking }: FittedStatus): readonly ConsumersReason[] =>
  lacking.length === 0 ? [] : [{ is: "StatusFieldMissing", lacking }];

/** The number of consumers that watch this XR: none watch a companion. */
const toWatching = ({ of }: Consumers, { length }: readonly JudgedConsumer[]): number =>
  of === undefined ? length : 0;

/** Makes the status. One that is left out is removed, so what it shows stays while it is not known who uses this XR. */
function toList(section: Consumers, { consumers: known }: State, call: Call): readonly ValueEdit[] {
  const path = section.list?.toCompositeFieldPath;
  if (path === undefined) return [];
  const shown = call.composite.document.at(path);
  if (known === undefined) return shown === undefined ? [] : [{ path, value: shown }];
  return [{ path, value: toStatus(known, toWatching(section, known)) }];
}

function findReasons(section: Consumers, state: State): readonly ConsumersReason[] {
  const { owner, access, references, allowed, consumers: known, credentials } = state;
  if (owner.is === "missing") return [{ ...owner, is: "SharedResourceNotFound" }];
  if (access.is === "unreadable") return [{ is: "NamespacesNotReadable" }];
  if (references.is === "unreadable") return [{ is: "ReferenceGrantsNotReadable" }];
  if (references.is === "unnamed") return [{ is: "NoConnectionSecret", path: section.secretRef.nameFieldPath }];
  if (access.is !== "known" || allowed === undefined || known === undefined)
    return [{ is: "WaitingForRequiredResources" }];
  return [
    ...(access.fault === undefined ? [] : [{ is: "InvalidGrant", fault: access.fault } as const]),
    ...(section.credentials?.forEach === "Grant" && access.isForAll ? [{ is: "GrantedToAll" } as const] : []),
    ...findForgotten(section, allowed),
    ...(credentials === undefined ? [] : findMissing(credentials)),
    ...findWithoutGrant(section, known),
  ];
}

/**
 * Distinguishes copies without a grant, which go when their XRs are reconciled, from requests. Of many consumers it tells of fifty requests
 * and more only; of a copy always.
 */
function findWithoutGrant(section: Consumers, consumers: readonly JudgedConsumer[]): readonly ConsumersReason[] {
  const withoutGrant = consumers.filter(({ isGranted }) => !isGranted);
  const copies = withoutGrant.filter(({ secretName }) => secretName !== undefined).length;
  const requests = withoutGrant.length - copies;
  const watching = toWatching(section, consumers);
  const reasons = [
    { is: "AccessNotGranted", isTold: copies > 0, count: formatCoarse(copies, watching) },
    { is: "AccessRequested", isTold: toCoarse(requests, watching) > 0, count: formatCoarse(requests, watching) },
  ] as const;
  return reasons.filter(({ isTold }) => isTold);
}

const findForgotten = ({ rotation }: Consumers, allowed: Allowed): readonly ConsumersReason[] =>
  rotation !== undefined && isTooMany(allowed) ? [{ is: "TooManyToRotate", most: MAX_REMEMBERED }] : [];

function findMissing({ credentials, excess }: CredentialsState): readonly ConsumersReason[] {
  const waiting = credentials.filter(({ isReady }) => !isReady).map(({ namespace }) => namespace);
  return [
    ...(excess > 0 ? [{ is: "TooManyCredentials", excess } as const] : []),
    ...(waiting.length > 0 ? [{ is: "WaitingForCredentials", namespaces: [...new Set(waiting)] } as const] : []),
  ];
}
