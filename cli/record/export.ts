import { writeFileSync } from "node:fs";
import { withoutScope } from "../../src/crossplane/api-group.ts";
import { type Composite, toComposite } from "../../src/crossplane/composite.ts";
import { COMPOSITION_RESOURCE_NAME, EXTERNAL_NAME, findController, readUid } from "../../src/crossplane/metadata.ts";
import {
  formatReference,
  isSameResource,
  referenceKey,
  toReference,
  toReferences,
} from "../../src/crossplane/references.ts";
import { compareEntries } from "../../src/model/collections.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { type JsonObject, objectOf, pick } from "../../src/model/json.ts";
import { DNS_LABEL, DOMAIN, isLabelValue } from "../../src/model/names.ts";
import { OWNER } from "../../src/ownership/annotations.ts";
import {
  composeNames,
  namesRecordName,
  RECORD_PREFIX,
  type RecordedName,
  type RecordedNames,
  readNames,
  toNamesData,
  toRecordedKind,
} from "../../src/records/names-record.ts";
import {
  type Bindings,
  RECORD_KINDS,
  RECORD_LABEL,
  readBindings,
  recordId,
  toRecordData,
} from "../../src/records/record.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { toApiVersion } from "../cluster/discovery.ts";
import { getIfThere, inParallel } from "../cluster/list.ts";
import { type ClusterFlags, EXIT } from "../command.ts";
import { whileDoing } from "../files.ts";
import type { Host } from "../host.ts";
import { listRecords } from "../lookup/find-consumers.ts";
import { openCluster } from "../open-cluster.ts";
import { toPrintable } from "../text.ts";
import { toYamlStream } from "../yaml.ts";

export type ExportFlags = ClusterFlags & { readonly file?: string };

/** Prints the records of all XRs as manifests. @returns the exit code. */
export async function exportRecords(flags: ExportFlags, host: Host): Promise<number> {
  const cluster = await openCluster(flags, host);
  const records = (await listRecords(cluster, RECORD_LABEL)).map((record) => ({ record, ...toReference(record) }));
  // The records that an operator may have applied: EnvironmentConfigs, which have no namespace.
  const applied = new Map(records.flatMap(({ name, namespace, record }) => (namespace ? [] : [[name, record]])));
  const exported = await inParallel(records, async ({ record, namespace, name }) => {
    if (namespace === undefined) return [toManifest(record)];
    const composite = await findComposite(record, cluster);
    const described = toPrintable(formatReference(toReference(record)));
    if (composite === undefined) {
      host.printError(`left out ${described}: no XR of its namespace composes it\n`);
      return [];
    }
    if (name !== namesRecordName(recordId(composite))) return [toManifest(record)];
    const more = readNames(record).size - MAX_ENTRIES;
    if (more > 0) host.printError(`left out ${more} entries of ${described}: it has more than ${MAX_ENTRIES}\n`);
    return [await toEnvironmentConfig(record, composite, readNames(applied.get(name)), cluster)];
  });
  // Reversed: a namespaced XR's record, made from its ConfigMap, replaces the applied one of the same name.
  const manifests = exported.flat().reverse();
  const byName = new Map(manifests.map((manifest) => [referenceKey(toReference(documentOf(manifest))), manifest]));
  const text = toYamlStream([...byName].sort(compareEntries).map(([, manifest]) => manifest));
  const { file } = flags;
  if (file === undefined) host.print(text);
  else whileDoing(`cannot write ${file}`, () => writeFileSync(file, text));
  return EXIT.fine;
}

/** The limit of entries: each costs a request, and teams write the ConfigMap. */
const MAX_ENTRIES = 1000;

/** Copies only the parts of a record that this function reads: a team may have edited it, and an operator applies the export. */
function toManifest(record: Document): JsonObject {
  const { apiVersion, kind, namespace, name } = toReference(record);
  const marks = (field: string, isWanted: (key: string, value: string) => boolean): JsonObject =>
    pick(objectOf(record.at(["metadata", field])), (key, value) => typeof value === "string" && isWanted(key, value));
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: marks("labels", (key, value) => LABELS.test(key) && isLabelValue(value)),
    annotations: marks("annotations", (key, value) => ANNOTATIONS.includes(key) && PRINTABLE.test(value)),
  };
  const data = name.startsWith(RECORD_PREFIX) ? toNamesData(readNames(record)) : toRecordData(readKnown(record));
  return { apiVersion, kind, metadata, data };
}

/** Reads the bindings. Leaves out shares whose names are not DNS labels: a team may have made them up. */
const readKnown = (record: Document): Bindings =>
  new Map([...readBindings(record)].filter(([share, bindings]) => DNS_LABEL.test(share) && bindings.length > 0));

/** The labels by which an XR finds its record, and owners find the records of their consumers. */
const LABELS = new RegExp(
  `^(?:crossplane\\.io/(?:composite|claim-name|claim-namespace)|${DOMAIN}/(?:record-of|uses-[0-9a-f]{40}))$`,
);
const ANNOTATIONS: readonly string[] = [OWNER, String(COMPOSITION_RESOURCE_NAME.at(-1))];
const PRINTABLE = /^[!-~]{1,1000}$/;

/**
 * Makes the record of a namespaced XR that a rebuilt cluster trusts. A team may have edited the ConfigMap. So an entry
 * counts only if the XR controls its resource, or an operator has applied it.
 */
async function toEnvironmentConfig(record: Document, composite: Composite, before: RecordedNames, cluster: Cluster) {
  const uid = readUid(composite.document);
  const entries = [...readNames(record)].slice(0, MAX_ENTRIES);
  const confirmed = await inParallel(entries, async ([resource, entry]): Promise<readonly [string, RecordedName][]> => {
    const found = await find(entry, composite.namespace, cluster);
    const isOwn = found !== undefined && findController(found)?.uid === uid;
    if (isOwn && stringAt(found, COMPOSITION_RESOURCE_NAME) === resource) {
      const externalName = entry.externalName && stringAt(found, EXTERNAL_NAME);
      return [[resource, { ...entry, apiVersion: stringAt(found, ["apiVersion"]), externalName }]];
    }
    const known = before.get(resource);
    return known === undefined ? [] : [[resource, known]];
  });
  return { ...composeNames(composite, new Map(confirmed.flat())), ...RECORD_KINDS.EnvironmentConfig };
}

/** Finds the XR that composes a record, by the XR's references: a team may make up ConfigMaps and their controllers. */
async function findComposite(record: Document, cluster: Cluster): Promise<Composite | undefined> {
  const controller = findController(record);
  const reference = toReference(record);
  const found = controller && (await getIfThere(cluster, { ...controller, namespace: reference.namespace }));
  if (found === undefined) return undefined;
  const composite = toComposite(found);
  const isItself = readUid(found) === controller?.uid && composite.namespace === reference.namespace;
  return isItself && toReferences(composite).some((one) => isSameResource(one, reference)) ? composite : undefined;
}

async function find({ kind, name }: RecordedName, namespace: string | undefined, cluster: Cluster) {
  const installed = cluster.kinds.find(
    (one) => one.isNamespaced && toRecordedKind({ kind: one.kind, group: withoutScope(one.group) }) === kind,
  );
  return installed && getIfThere(cluster, { ...installed, apiVersion: toApiVersion(installed), namespace, name });
}
