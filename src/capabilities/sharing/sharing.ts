import { invalidInput } from "../../input/parse.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { ContextValue, Draft } from "../../model/draft.ts";
import { isObject } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call, Capability } from "../capability.ts";
import { eventsOf } from "../events.ts";
import { conditionOf } from "./condition.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { type Finding, find, requirementOf } from "./find.ts";
import { patchesOf } from "./patches.ts";
import { firstComeFirstServed } from "./taken.ts";
import { judge } from "./verdict.ts";

/** The context key under which later steps find what is shared: lists of resources, by the input's names for them. */
const CONTEXT_KEY = `${DOMAIN}/shared-resources`;

interface Share extends Delivery {
  readonly shared: SharedResource;
  readonly finding: Finding;
  readonly patches: Draft["composite"];
}

/**
 * Finds the infrastructure of others that this XR uses, and copies its connection Secrets to where this XR's applications
 * look for them, as far as its owners grant it.
 */
export const sharing: Capability = (call, draft) => {
  if (call.input.spec.sharedResources.length === 0) return draft;
  assertNamespacesAreKnown(call);

  const shares = toShares(call);
  const condition = conditionOf(shares);
  const isServed = shares.every(({ standing }) => standing.is === "Available" || standing.is === "WaitingForCopies");
  return {
    ...draft,
    resources: new Map([...draft.resources, ...shares.flatMap(({ resources }) => [...resources])]),
    composite: [...draft.composite, ...shares.flatMap(({ patches }) => patches)],
    // A copy that is not written yet is an unready resource of its own; what was not even composed only we know of.
    compositeReady: isServed ? draft.compositeReady : "False",
    requirements: new Map([...draft.requirements, ...requirementsOf(shares)]),
    context: new Map([...draft.context, ...contextOf(shares, call)]),
    conditions: [...draft.conditions, condition],
    results: [...draft.results, ...eventsOf(condition, isServed ? "Normal" : "Warning", call)],
  };
};

/** Judge all of them, then act. */
function toShares(call: Call): readonly Share[] {
  const judged = call.input.spec.sharedResources.map((shared) => {
    const finding = find(shared, call);
    return { shared, finding, verdict: judge(shared, finding, call) };
  });
  return firstComeFirstServed(judged).map(({ shared, finding, verdict }) => ({
    shared,
    finding,
    patches: patchesOf(shared, finding, verdict, call),
    ...deliver(shared, verdict, call),
  }));
}

/** A requirement is returned for as long as it is needed: Crossplane watches what was required last. */
const requirementsOf = (shares: readonly Share[]) =>
  shares.flatMap(({ shared, finding }) =>
    finding.is === "unset" ? [] : [[requirementOf(shared), finding.selector] as const],
  );

/** The shared resources as Crossplane answered them, unread, beside what an earlier step of ours found. */
function contextOf(shares: readonly Share[], { request }: Call): readonly (readonly [string, ContextValue])[] {
  const found = shares.flatMap(({ shared, finding }) =>
    finding.is === "found" ? [[shared.name, [finding.resource]] as const] : [],
  );
  if (found.length === 0) return [];
  const earlier = request.context.at([CONTEXT_KEY]);
  return [[CONTEXT_KEY, { ...(isObject(earlier) ? earlier : {}), ...Object.fromEntries(found) }]];
}

/**
 * Crossplane v1 ignores a selector's namespace, and then fails the whole XR because it cannot get a namespaced resource
 * without one. v2.0 and v2.1 say nothing of what they can do, but their XRs have `spec.crossplane`.
 *
 * @throws {FunctionError} `InvalidInput`
 */
function assertNamespacesAreKnown({ input, request, composite }: Call): void {
  if (request.capabilities.size > 0 || composite.isModern) return;
  const faults = input.spec.sharedResources.flatMap(({ select }, index) =>
    select.namespace === undefined
      ? []
      : [
          {
            path: `spec.sharedResources[${index}].select.namespace`,
            message: "needs Crossplane v2; on v1 share a cluster-scoped kind, or select by matchLabels alone",
          },
        ],
  );
  if (faults.length > 0) throw invalidInput(faults);
}
