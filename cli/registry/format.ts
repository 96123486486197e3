import { withoutScope } from "../../src/crossplane/api-group.ts";
import type { Holding } from "../lookup/holding.ts";
import type { CloudResource } from "../lookup/ownership.ts";
import { alignColumns, toJson } from "../text.ts";

export type Format = "table" | "wide" | "json";

/** Lists cloud resources, each in a row with its owner and contenders. */
export function listText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toJson({ items: resources.map(toItem) });
  if (resources.length === 0) return "No cloud resources are registered.\n";
  const isWide = format === "wide";
  const more = ["ID", "CLAIM", "PROVIDERCONFIG", "CLUSTER", "MANAGED RESOURCE"];
  const header = ["KIND", "EXTERNAL NAME", "STATE", "OWNER", "NAMESPACE", "CONTENDERS", "SINCE"];
  return alignColumns([[...header, ...(isWide ? more : [])], ...resources.map((resource) => toRow(resource, isWide))]);
}

function toRow({ holdings, ownership }: CloudResource, isWide: boolean): readonly string[] {
  const { kind, externalName } = holdings[0];
  const owner = ownership.is === "Unsettled" ? ownership.next : ownership.owner;
  const others = holdings.filter((holding) => holding !== owner).map(({ contender }) => contender.owner);
  const count = String(others.length);
  return [
    toKindName(holdings[0]),
    externalName,
    ownership.is,
    owner.contender.owner || `(${kind.kind} ${owner.contender.name})`,
    owner.namespace ?? "",
    isWide && others.length > 0 ? others.join(",") : count,
    owner.contender.createdAt,
    ...(isWide ? toDetails(owner) : []),
  ];
}

const toKindName = ({ kind }: Holding): string => `${kind.kind}.${withoutScope(kind.group)}`;

const toDetails = ({ id, claim, providerConfig, cluster, resource }: Holding): readonly string[] => [
  id ?? "",
  claim ?? "",
  providerConfig,
  cluster ?? "",
  resource,
];

/** Lists the managed resources of cloud resources, each in a row, the owner's first. */
export function ownersText(resources: readonly CloudResource[], format: Format): string {
  if (format === "json") return toJson({ items: resources.map(toItem) });
  const more = ["EXTERNAL NAME", "PROVIDERCONFIG", "SCOPE", "CLUSTER", "COMPOSITE"];
  const header = ["ROLE", "OWNER", "NAMESPACE", "CLAIM", "SINCE", "ID", "MANAGED RESOURCE"];
  const isWide = format === "wide";
  const rows = resources.flatMap((resource) =>
    resource.holdings.map((holding) => [
      toRole(holding, resource),
      holding.contender.owner,
      holding.namespace ?? "",
      holding.claim ?? "",
      holding.contender.createdAt,
      holding.id ?? "",
      holding.resource,
      ...(isWide ? toPlaceCells(holding) : []),
    ]),
  );
  return alignColumns([[...header, ...(isWide ? more : [])], ...rows]);
}

const toPlaceCells = ({ externalName, providerConfig, scope, cluster, composite }: Holding): readonly string[] => [
  externalName,
  providerConfig,
  [...scope].map((pair) => pair.join("=")).join(","),
  cluster ?? "",
  composite ?? "",
];

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
