import { isBeingDeleted } from "../../../crossplane/metadata.ts";
import type { Connection } from "../../../input/connection.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Call } from "../../feature.ts";
import { consumerNamespace } from "../grant.ts";
import { toOrigin } from "../origin.ts";
import type { SharingReason } from "../reason.ts";
import type { SecretName } from "../source.ts";
import { type Accessible, type JudgedDestination, type Judgement, type KnownAccess, without } from "../verdict.ts";
import { isNeeded, readSecret, type SourceSecret } from "./contents.ts";
import { type Destination, findDestinations, findFault, judgeNamespace } from "./destination.ts";

interface Copyable extends Accessible {
  readonly source: SecretName;
}

/** Judges each destination of the copies, and asks for the source Secret where one of them needs it. */
export function judgeCopies(
  shared: SharedResource,
  connection: Connection,
  { resource, name, source, access }: Copyable,
  call: Call,
): Judgement {
  const { requirements } = access;
  const found = findDestinations(connection.copies, call);
  if (found.is === "unset") return without("broken", { is: "FieldNotSet", field: found.field }, requirements);
  const { destinations, excess } = found.value;
  const [fault] = destinations.flatMap((destination) => findFault(destination, source, call) ?? []);
  if (fault !== undefined) return without("broken", { is: "InvalidTarget", fault }, requirements);

  const allowed = destinations.map((destination) => judgeDestination(destination, access, call));
  const isRead = allowed.some(({ leave, destination }) => leave === "granted" && isNeeded(destination.copy));
  const [secretRequirement, secret] = isRead
    ? readSecret(shared.name, source, call)
    : [undefined, { is: "pending" } as const];
  const judged = limitValues(allowed, secret);
  return {
    verdict: {
      is: "copy",
      original: { origin: toOrigin(resource), source },
      secret,
      destinations: judged,
      isBeingDeleted: shared.select.by !== "self" && isBeingDeleted(resource),
      reasons: findRefusals(judged, excess, name, access, call),
    },
    readable: [],
    isRefused: false,
    requirements: [
      ...requirements,
      ...judged.flatMap(({ requirement }) => requirement ?? []),
      ...(secretRequirement === undefined ? [] : [secretRequirement]),
    ],
  };
}

type WithRequirement = JudgedDestination & { readonly requirement?: Requirement | undefined };

/** A namespace is asked whether it takes the copy only where the copy is granted to it. */
function judgeDestination(destination: Destination, access: KnownAccess, call: Call): WithRequirement {
  if (!access.isGranted(destination.namespace)) return { destination, leave: "notGranted" };
  const { acceptance, requirement } = judgeNamespace(destination, call);
  const leave = { accepted: "granted", pending: "unknown", unreadable: "unreadable", refused: "notAccepted" } as const;
  return { destination, leave: leave[acceptance], requirement };
}

/** The largest total size of the copies of one shared resource: Crossplane takes responses of up to 4 MiB. */
const MAX_BYTES = 3 * 1024 * 1024;

/** The bytes composed for a key beside its name and its value. */
const KEY_BYTES = 200;

/** Leaves out what no answer could hold. An owner with a large Secret and many consumers would otherwise stop this function. */
function limitValues(judged: readonly WithRequirement[], secret: SourceSecret): readonly WithRequirement[] {
  if (secret.is !== "read") return judged;
  let bytes = 0;
  for (const [key, value] of Object.entries(secret.data)) bytes += KEY_BYTES + key.length + String(value).length;
  let free = Math.max(1, Math.floor(MAX_BYTES / Math.max(1, bytes)));
  return judged.map((one) => {
    if (one.leave !== "granted" || !isNeeded(one.destination.copy)) return one;
    free -= 1;
    return free < 0 ? { ...one, leave: "tooLarge" } : one;
  });
}

function findRefusals(
  judged: readonly JudgedDestination[],
  excess: number,
  shared: string,
  access: KnownAccess,
  { composite }: Call,
): readonly SharingReason[] {
  const namespacesThat = (reason: JudgedDestination["leave"]): readonly string[] =>
    [...new Set(judged.filter(({ leave }) => leave === reason).map(({ destination }) => destination.namespace))].sort();
  const reasons: SharingReason[] = [];
  const namespaces = namespacesThat("notGranted");
  if (namespaces.length > 0) {
    reasons.push({ is: "AccessNotGranted", shared, namespaces, remedy: access.remedy(namespaces) });
  }
  const closed = namespacesThat("notAccepted");
  const consumer = consumerNamespace(composite) ?? "*";
  if (closed.length > 0) reasons.push({ is: "NamespaceNotAccepting", namespaces: closed, consumer });
  const unreadable = namespacesThat("unreadable");
  if (unreadable.length > 0) reasons.push({ is: "NamespaceNotReadable", namespaces: unreadable });
  const [pending] = namespacesThat("unknown");
  if (pending !== undefined) reasons.push({ is: "WaitingForRequiredResources", wanted: `Namespace ${pending}` });
  const tooLarge = judged.filter(({ leave }) => leave === "tooLarge").length;
  if (tooLarge > 0) reasons.push({ is: "TooLarge", excess: tooLarge });
  if (excess > 0) reasons.push({ is: "TooManyTargets", excess });
  return reasons;
}
