import { stringify } from "yaml";
import type { SecretName } from "../../src/crossplane/copies.ts";
import { FunctionError } from "../../src/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { JudgedConsumer } from "../../src/ownership/consumer.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { findKindsByName } from "../cluster/kinds.ts";
import { type ClusterOptions, EXIT, openCluster } from "../cluster.ts";
import type { Host } from "../host.ts";
import { findConsumers } from "../lookup/consumers.ts";
import { alignColumns } from "../table.ts";
import type { Format } from "./format.ts";

export interface ConsumersOptions extends ClusterOptions {
  readonly kind: string;
  readonly name: string;
  /** The namespace of the shared resource, if it is namespaced. */
  readonly namespace: string | undefined;
  /** Its connection Secret, if it does not say itself which one. */
  readonly secret: SecretName | undefined;
  readonly format: Format;
}

/** Prints who has a copy of a shared resource's connection Secret. @returns the exit code. */
export async function listConsumers(options: ConsumersOptions, host: Host): Promise<number> {
  const { kind: asked, name, namespace, secret, format } = options;
  const cluster = openCluster(options, host);
  const kinds = await discover(cluster, { includeCore: true });
  const { isThere, consumers } = await findConsumers(cluster, kinds, toKind(asked, kinds), {
    name,
    namespace,
    secret,
  });
  if (isThere || consumers.length > 0 || isDocument(format)) host.print(consumersText(consumers, format));
  if (isThere) return EXIT.fine;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const rest = consumers.length > 0 ? ": these copies of its connection Secret are left" : "";
  host.printError(`there is no ${asked} ${JSON.stringify(name)}${where}${rest}\n`);
  return EXIT.found;
}

function toKind(name: string, kinds: readonly ResourceKind[]): ResourceKind {
  const [kind] = findKindsByName(name, kinds);
  if (kind !== undefined) return kind;
  throw new FunctionError("InvalidFlags", `cannot find the kind ${JSON.stringify(name)}: no such CRD is installed`);
}

const isDocument = (format: Format): boolean => format === "json" || format === "yaml";

function consumersText(consumers: readonly JudgedConsumer[], format: Format): string {
  if (isDocument(format)) {
    const document = { items: consumers.map(toItem) };
    return format === "json" ? `${JSON.stringify(document, null, 2)}\n` : stringify(document, { lineWidth: 0 });
  }
  if (consumers.length === 0) return "Nobody has a copy of its connection Secret.\n";
  const rows = consumers.map(({ namespace, kind, name, secretName, isGranted }) => [
    namespace,
    kind,
    name,
    secretName,
    isGranted ? "yes" : "no",
  ]);
  return alignColumns([["NAMESPACE", "KIND", "NAME", "SECRET", "GRANTED"], ...rows]);
}

/** Formats a consumer as in the shared resource's status. */
const toItem = ({ namespace, kind, name, secretName, isGranted }: JudgedConsumer): JsonObject => ({
  namespace,
  kind,
  name,
  secretName,
  granted: isGranted,
});
