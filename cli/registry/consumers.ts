import type { JsonObject } from "../../src/model/json.ts";
import type { JudgedConsumer } from "../../src/ownership/consumer.ts";
import { discover, findKindsByName, notInstalled } from "../cluster/discovery.ts";
import { EXIT, invalidFlags } from "../command.ts";
import type { Host } from "../host.ts";
import { findConsumers } from "../lookup/consumers.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson } from "../text.ts";
import type { ConsumersFlags, KindAndName } from "./command.ts";
import type { Format } from "./format.ts";

/** Prints who has a copy of a shared resource's connection Secret. @returns the exit code. */
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
  const rest = consumers.length > 0 ? ": these copies of its connection Secret are left" : "";
  host.printError(`there is no ${asked} ${JSON.stringify(name)}${where}${rest}\n`);
  return EXIT.found;
}

function consumersText(consumers: readonly JudgedConsumer[], format: Format): string {
  if (format === "json") return toJson({ items: consumers.map(toConsumerItem) });
  if (consumers.length === 0) return "No consumer has a copy of its connection Secret.\n";
  const rows = consumers.map((one) => [
    one.namespace,
    one.kind,
    one.name,
    one.secretName,
    one.isGranted ? "yes" : "no",
  ]);
  return alignColumns([["NAMESPACE", "KIND", "NAME", "SECRET", "GRANTED"], ...rows]);
}

/** Formats a consumer as in the shared resource's status. */
const toConsumerItem = ({ namespace, kind, name, secretName, isGranted: granted }: JudgedConsumer): JsonObject => ({
  namespace,
  kind,
  name,
  secretName,
  granted,
});
