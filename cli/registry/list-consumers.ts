import type { SecretName } from "../../src/crossplane/copies.ts";
import { ALLOWED_NAMESPACES, readNamespaceGrant } from "../../src/crossplane/grants.ts";
import { requiredLabels } from "../../src/crossplane/label-selector.ts";
import { toReference } from "../../src/crossplane/references.ts";
import type { Document } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { toCommand } from "../../src/model/shell.ts";
import { type JudgedConsumer, toListed } from "../../src/records/consumer.ts";
import { findKindsByName, notInstalled, type ResourceKind, toApiVersion, toFullName } from "../cluster/discovery.ts";
import { type ClusterFlags, EXIT, invalidFlags } from "../command.ts";
import type { Host } from "../host.ts";
import { findConsumers } from "../lookup/find-consumers.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson } from "../text.ts";

export interface ConsumersFlags extends ClusterFlags {
  readonly output: "table" | "json";
  readonly namespace?: string;
  /** The connection Secret, if the shared resource does not name it. */
  readonly secret?: SecretName;
}

/** Prints the XRs that use a shared resource, or ask for it. @returns the exit code. */
export async function listConsumers(asked: string, name: string, flags: ConsumersFlags, host: Host): Promise<number> {
  const { secret, output } = flags;
  const cluster = await openCluster(flags, host);
  const [kind, ...others] = findKindsByName(asked, cluster.kinds);
  if (kind === undefined) throw invalidFlags(notInstalled(asked));
  if (others.length > 0)
    throw invalidFlags(`cannot tell which ${asked} is meant: ${[kind, ...others].map(toFullName).join(", ")}`);
  const namespace = kind.isNamespaced ? (flags.namespace ?? cluster.namespace) : undefined;
  const reference = { apiVersion: toApiVersion(kind), kind: kind.kind, namespace, name };
  const { shared, consumers } = await findConsumers(cluster, reference, secret);
  if (output === "json") host.print(toJson({ items: consumers.map(toItem) }));
  else if (shared !== undefined) host.print(`${toTable(consumers)}${toGrantCommand(shared, kind, consumers)}`);
  else if (consumers.length > 0) host.print(toTable(consumers));
  if (shared !== undefined) return EXIT.fine;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const rest = consumers.length > 0 ? ", but the XRs above still refer to it" : "";
  host.printError(`there is no ${asked} ${JSON.stringify(name)}${where}${rest}\n`);
  return EXIT.found;
}

const toItem = (consumer: JudgedConsumer): JsonObject => ({
  ...toListed(consumer),
  ...(consumer.dependents.length > 0 && { dependents: [...consumer.dependents] }),
});

function toTable(consumers: readonly JudgedConsumer[]): string {
  if (consumers.length === 0) return "No XR uses it, or asks for it.\n";
  const rows = consumers.map(({ namespace, kind, name, secretName, dependents, isGranted }) => [
    namespace ?? "-",
    kind,
    name,
    secretName ?? "-",
    dependents.join(",") || "-",
    isGranted ? "yes" : "no",
  ]);
  return alignColumns([["NAMESPACE", "KIND", "NAME", "SECRET", "DEPENDENTS", "GRANTED"], ...rows]);
}

/**
 * Writes the command that grants the missing access; empty if none is missing. Leaves out `*`, for which the platform's
 * XRs ask: an operator who copies the line for one team must not grant access to all.
 */
function toGrantCommand(shared: Document, kind: ResourceKind, consumers: readonly JudgedConsumer[]): string {
  const wanted = new Set(consumers.flatMap(({ isGranted, namespaces }) => (isGranted ? [] : namespaces)));
  const asking = [...wanted].filter((namespace) => namespace !== "*").sort();
  if (asking.length === 0) return "";
  const { names, selector } = readNamespaceGrant(shared);
  // If all terms of the selector are `key=value`, labels on the Namespaces are enough.
  const labels = Object.entries(requiredLabels(selector ?? [])).map(([key, value]) => `${key}=${value}`);
  if (selector !== undefined && labels.length === selector.length)
    return `\nTo grant it:\n  ${toCommand("kubectl", "label", "namespace", ...asking, ...labels)}\n`;
  const { namespace, name } = toReference(shared);
  const within = namespace === undefined ? [] : ["-n", namespace];
  const granted = `${ALLOWED_NAMESPACES}=${[...new Set([...names, ...asking])].sort().join(",")}`;
  const command = toCommand("kubectl", "annotate", `${toFullName(kind)}/${name}`, ...within, "--overwrite", granted);
  return `\nTo grant it:\n  ${command}\n`;
}
