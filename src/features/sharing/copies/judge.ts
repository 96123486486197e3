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
import { isNeeded, readSecret } from "./contents.ts";
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

  const judged = destinations.map((destination) => judgeDestination(destination, access, call));
  const isRead = judged.some(({ leave, destination }) => leave === "granted" && isNeeded(destination.copy));
  const [secretRequirement, secret] = isRead
    ? readSecret(shared.name, source, call)
    : [undefined, { is: "pending" } as const];
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
  const leave = { accepted: "granted", pending: "unknown", refused: "notAccepted" } as const;
  return { destination, leave: leave[acceptance], requirement };
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
  const [pending] = namespacesThat("unknown");
  if (pending !== undefined) reasons.push({ is: "WaitingForRequiredResources", wanted: `Namespace ${pending}` });
  if (excess > 0) reasons.push({ is: "TooManyTargets", excess });
  return reasons;
}
