import { encode } from "../rig/objects.ts";
import { autoReady, compose, compositionOf, definitionOf, open, ours, VERSION } from "../scenarios/definitions.ts";
import { namespaceOf } from "../scenarios/source.ts";
import { CLOUD, object } from "../scenarios/tagged.ts";

/** One owner, its consumers, and XRs that have nothing to do with it. */

export const OWNER = "XFleetDatabase";
export const CONSUMER = "FleetUser";
/** The owner's companion, where it has one. */
export const COMPANION = "XFleetKeeper";
const BYSTANDER = "XFleetBucket";

const DATABASES = "fleet-databases";
export const SOURCE = { namespace: DATABASES, name: "fleet-conn" } as const;
/** The copy in each consumer's namespace. */
export const COPY = "fleet-db";
/** The label of a Namespace by which it is granted access. */
export const GRANTED = { key: "fleet", value: "granted" } as const;

/** Longer than what the other steps answer, so theirs counts: a minute. */
const responseTTL = "10m";
const DOMAIN = "shared-infrastructure.fn.crossplane.io";

/** The Secret of the owner, by an Object, as a provider would write it. */
const database = {
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  spec: {
    providerConfigRef: { name: "default" },
    forProvider: {
      manifest: { apiVersion: "v1", kind: "Secret", metadata: SOURCE, data: { password: "$(spec.password)" } },
    },
  },
};

const share = {
  name: "database",
  apiVersion: VERSION,
  kind: OWNER,
  select: { name: "main" },
  connection: { copies: [{ secretName: COPY }] },
};

const tags = { add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }] };

const bookkeeping = { list: { toCompositeFieldPath: "status.consumers" } };

const companionOf = { of: { apiVersion: VERSION, kind: OWNER, name: "main" } };

export const definitionsOf = (withCompanion: boolean) => [
  ...(withCompanion ? [definitionOf({ kind: COMPANION, scope: "Cluster", status: { consumers: open } })] : []),
  definitionOf({
    kind: OWNER,
    scope: "Cluster",
    spec: { password: { type: "string" }, writeConnectionSecretToRef: open },
    status: { consumers: open },
  }),
  definitionOf({ kind: CONSUMER, scope: "Namespaced" }),
  definitionOf({
    kind: BYSTANDER,
    scope: "Cluster",
    spec: { team: { type: "string" }, resource: { type: "string" } },
  }),
];

export const compositionsOf = (withCompanion: boolean) => [
  compositionOf(OWNER, [
    compose({ database }),
    ...(withCompanion ? [] : [ours("consumers", { responseTTL, consumers: bookkeeping })]),
    autoReady,
  ]),
  ...(withCompanion
    ? [
        compositionOf(COMPANION, [
          ours("consumers", { responseTTL, consumers: { ...companionOf, ...bookkeeping } }),
          autoReady,
        ]),
      ]
    : []),
  compositionOf(CONSUMER, [ours("share", { responseTTL, sharedResources: [share] }), autoReady]),
  compositionOf(BYSTANDER, [object({}), ours("tag", { responseTTL, tags }), autoReady]),
];

export const namespaces = [DATABASES, CLOUD].map(namespaceOf);

/** The owner, with this password. Granted are Namespaces with the label, and these. */
export const ownerOf = (password: string, granted: readonly string[]) => ({
  apiVersion: VERSION,
  kind: OWNER,
  metadata: {
    name: "main",
    annotations: {
      [`${DOMAIN}/allowed-namespaces`]: granted.join(","),
      [`${DOMAIN}/allowed-namespace-selector`]: `${GRANTED.key}=${GRANTED.value}`,
    },
  },
  spec: { password: encode(password), writeConnectionSecretToRef: SOURCE },
});

export const companion = { apiVersion: VERSION, kind: COMPANION, metadata: { name: "main" }, spec: {} };

export const consumerNamespace = (name: string, isGranted: boolean) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...(isGranted && { labels: { [GRANTED.key]: GRANTED.value } }) },
});

export const consumerIn = (namespace: string) => ({
  apiVersion: VERSION,
  kind: CONSUMER,
  metadata: { name: "app", namespace },
  spec: {},
});

export const bystander = (index: number) => ({
  apiVersion: VERSION,
  kind: BYSTANDER,
  metadata: { name: `bucket-${index}` },
  spec: { team: "fleet", resource: `fleet-bucket-${index}` },
});
