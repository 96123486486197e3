import { withoutScope } from "../../src/crossplane/api-group.ts";
import type { Holding } from "../lookup/holding.ts";
import type { CloudResource } from "../lookup/ownership.ts";
import { alignColumns, toJson } from "../text.ts";

export type Format = "table" | "json";

/** Lists cloud resources, each in a row with its owner and contenders. */
export function listText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toJson({ items: resources.map(toItem) });
  if (resources.length === 0) return "No cloud resources are registered.\n";
  const header = ["KIND", "EXTERNAL NAME", "STATE", "OWNER", "NAMESPACE", "CONTENDERS", "SINCE"];
  return alignColumns([header, ...resources.map(toRow)]);
}

function toRow({ holdings, ownership }: CloudResource): readonly string[] {
  const { kind, externalName } = holdings[0];
  const owner = ownership.is === "Unsettled" ? ownership.next : ownership.owner;
  return [
    toKindName(holdings[0]),
    externalName,
    ownership.is,
    owner.contender.owner || `(${kind.kind} ${owner.contender.name})`,
    owner.namespace ?? "",
    String(holdings.filter((holding) => holding !== owner).length),
    owner.contender.createdAt,
  ];
}

const toKindName = ({ kind }: Holding): string => `${kind.kind}.${withoutScope(kind.group)}`;

/** Lists the managed resources of cloud resources, each in a row, the owner's first. */
export function ownersText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toJson({ items: resources.map(toItem) });
  const header = ["ROLE", "OWNER", "NAMESPACE", "CLAIM", "SINCE", "ID", "MANAGED RESOURCE"];
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
  return alignColumns([header, ...rows]);
}

/** The role of a managed resource for its cloud resource. */
function toRole(holding: Holding, { ownership }: CloudResource): string {
  if (holding.contender.isDeleting) return "BeingDeleted";
  if (holding.contender.isMarked) return "Owner";
  return ownership.is === "Unsettled" && holding === ownership.next ? "Next" : "Contender";
}

/** JSON leaves out what is undefined. */
function toItem(resource: CloudResource) {
  const { identity, ownership, holdings } = resource;
  const owner = ownership.is === "Unsettled" ? undefined : ownership.owner;
  const [first] = holdings;
  const id = (owner ?? first).id ?? holdings.find((holding) => holding.id !== undefined)?.id;
  return {
    apiGroup: withoutScope(first.kind.group),
    kind: first.kind.kind,
    externalName: first.externalName,
    id,
    providerConfig: first.providerConfig,
    scope: Object.fromEntries(first.scope),
    state: ownership.is,
    owner: owner && toHolder(owner, resource),
    contenders: holdings.filter((holding) => holding !== owner).map((holding) => toHolder(holding, resource)),
    identity,
  };
}

function toHolder(holding: Holding, resource: CloudResource) {
  const { contender, cluster, claim, namespace, composite, resource: managedResource } = holding;
  const { owner, createdAt: since } = contender;
  return { owner, role: toRole(holding, resource), namespace, claim, composite, cluster, managedResource, since };
}
