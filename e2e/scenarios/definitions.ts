import { API_VERSION, KIND } from "../../src/input/schema.ts";
import { FUNCTION } from "../rig/function.ts";

/** What platform teams install: the kinds of the database and of the application that uses it, and their Compositions. */

export const GROUP = "platform.example.org";
export const VERSION = `${GROUP}/v1alpha1`;

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const xrd = (kind: string, plural: string, claim?: { kind: string; plural: string }) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "CompositeResourceDefinition",
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    names: { kind, plural },
    ...(claim && { claimNames: claim }),
    versions: [versionOf()],
  },
});

function versionOf() {
  const spec = { type: "object", properties: { parameters: open } };
  const status = { type: "object", properties: { endpoint: { type: "string" }, database: open } };
  const openAPIV3Schema = { type: "object", properties: { spec, status } };
  return { name: "v1alpha1", served: true, referenceable: true, schema: { openAPIV3Schema } };
}

const composition = (kind: string, spec: object) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name: kind.toLowerCase() },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind },
    mode: "Pipeline",
    pipeline: [
      { step: "share", functionRef: { name: FUNCTION }, input: { apiVersion: API_VERSION, kind: KIND, spec } },
    ],
  },
});

/** Called every other second, so that scenarios need not wait for Crossplane's minute. */
const responseTTL = "2s";

const sharedResources = [
  {
    name: "orders-db",
    apiVersion: VERSION,
    kind: "XPostgreSQLInstance",
    select: { name: { fromCompositeFieldPath: "spec.parameters.database" } },
    patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.database.endpoint" }],
    connection: {
      copies: [
        {
          secretName: { value: "orders-db" },
          keys: [
            { from: "username", to: "DB_USER" },
            { from: "password", to: "DB_PASSWORD" },
          ],
        },
      ],
    },
  },
];

export const definitions = [
  xrd("XPostgreSQLInstance", "xpostgresqlinstances"),
  xrd("XOrdersApp", "xordersapps", { kind: "OrdersApp", plural: "ordersapps" }),
];

/** A namespaced kind, which Crossplane has since v2: a team writes it where it would have written a claim. */
export const namespacedApp = {
  definition: {
    apiVersion: "apiextensions.crossplane.io/v2",
    kind: "CompositeResourceDefinition",
    metadata: { name: `apps.${GROUP}` },
    spec: { scope: "Namespaced", group: GROUP, names: { kind: "App", plural: "apps" }, versions: [versionOf()] },
  },
  composition: composition("App", { responseTTL, sharedResources }),
};

export const compositions = [
  composition("XPostgreSQLInstance", { responseTTL }),
  composition("XOrdersApp", { responseTTL, sharedResources }),
];
