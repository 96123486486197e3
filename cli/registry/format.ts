import { withoutScope } from "../../src/crossplane/api-group.ts";
import type { Holding } from "../lookup/holding.ts";
import type { CloudResource } from "../lookup/ownership.ts";
import { alignColumns, toJson } from "../text.ts";

export type Format = "table" | "json";

/** Lists cloud resources, each in a row with its owner and contenders. */
export function listText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toItems(resources);
  if (resources.length === 0) return "No cloud resources are registered.\n";
  const rows = resources.map(({ holdings, holder, state }) => [
    `${holder.kind.kind}.${withoutScope(holder.kind.group)}`,
    holdings[0].externalName,
    state,
    holder.contender.owner || `(${holder.kind.kind} ${holder.contender.name})`,
    holder.namespace ?? "",
    String(holdings.length - 1),
    holder.contender.createdAt,
  ]);
  return alignColumns([["KIND", "EXTERNAL NAME", "STATE", "OWNER", "NAMESPACE", "CONTENDERS", "SINCE"], ...rows]);
}

/** Lists the managed resources of cloud resources, each in a row, the owner's first. */
export function ownersText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toItems(resources);
  const rows = resources.flatMap((resource) =>
    resource.holdings.map((holding) => [
      toRole(holding, resource),
      holding.contender.owner,
      holding.namespace ?? "",
      holding.claim ?? "",
      holding.contender.createdAt,
      holding.id ?? "",
      holding.resource,
    ]),
  );
  return alignColumns([["ROLE", "OWNER", "NAMESPACE", "CLAIM", "SINCE", "ID", "MANAGED RESOURCE"], ...rows]);
}

/** The role of a managed resource for its cloud resource. */
function toRole(holding: Holding, { state, holder }: CloudResource): string {
  if (holding.contender.isDeleting) return "BeingDeleted";
  if (holding.contender.isMarked) return "Owner";
  return state === "Unsettled" && holding === holder ? "Next" : "Contender";
}

/** JSON leaves out what is undefined. */
const toItems = (resources: readonly CloudResource[]): string =>
  toJson({
    items: resources.map((resource) => {
      const { identity, state, holder, holdings } = resource;
      const owner = state === "Unsettled" ? undefined : holder;
      const [first] = holdings;
      return {
        apiGroup: withoutScope(first.kind.group),
        kind: first.kind.kind,
        externalName: first.externalName,
        id: holder.id ?? holdings.find(({ id }) => id !== undefined)?.id,
        providerConfig: first.providerConfig,
        scope: Object.fromEntries(first.scope),
        state,
        owner: owner && toHolder(owner, resource),
        contenders: holdings.filter((holding) => holding !== owner).map((holding) => toHolder(holding, resource)),
        identity,
      };
    }),
  });

function toHolder(holding: Holding, resource: CloudResource) {
  const { contender, cluster, claim, namespace, composite, resource: managedResource } = holding;
  const { owner, createdAt: since } = contender;
  return { owner, role: toRole(holding, resource), namespace, claim, composite, cluster, managedResource, since };
}
