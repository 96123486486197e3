import { type JudgedConsumer, toListed } from "../../src/ownership/consumer.ts";
import { discover, findKindsByName, notInstalled } from "../cluster/discovery.ts";
import { EXIT, invalidFlags } from "../command.ts";
import type { Host } from "../host.ts";
import { findConsumers } from "../lookup/consumers.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson } from "../text.ts";
import type { ConsumersFlags, KindAndName } from "./command.ts";
import type { Format } from "./format.ts";

/** Prints who uses a shared resource, or asks for it. @returns the exit code. */
export async function listConsumers(
  { kind: asked, name }: KindAndName,
  flags: ConsumersFlags,
  host: Host,
): Promise<number> {
  const { namespace, secret, output: format } = flags;
  const cluster = openCluster(flags, host);
  const kinds = await discover(cluster, { includeCore: true });
  const [kind] = findKindsByName(asked, kinds);
  if (kind === undefined) throw invalidFlags(notInstalled(asked));
  const { isThere, consumers } = await findConsumers(cluster, kinds, kind, { name, namespace, secret });
  if (isThere || consumers.length > 0 || format === "json") host.print(consumersText(consumers, format));
  if (isThere) return EXIT.fine;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const rest = consumers.length > 0 ? ": these still refer to it" : "";
  host.printError(`there is no ${asked} ${JSON.stringify(name)}${where}${rest}\n`);
  return EXIT.found;
}

function consumersText(consumers: readonly JudgedConsumer[], format: Format): string {
  if (format === "json") return toJson({ items: consumers.map(toListed) });
  if (consumers.length === 0) return "No XR uses it, or asks for it.\n";
  const rows = consumers.map(({ namespace, kind, name, secretName, isGranted }) => [
    namespace ?? "-",
    kind,
    name,
    secretName ?? "-",
    isGranted ? "yes" : "no",
  ]);
  return alignColumns([["NAMESPACE", "KIND", "NAME", "SECRET", "GRANTED"], ...rows]);
}
