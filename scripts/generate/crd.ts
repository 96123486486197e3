import { z } from "zod";
import { INPUT_API_VERSION, INPUT_KIND, inputSchema } from "../../src/input/schema.ts";

/** A JSON schema, as far as zod writes one and a CustomResourceDefinition takes it. */
export type Schema = z.core.JSONSchema.BaseSchema;

/**
 * The input's schema as a structural one: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/
 * custom-resource-definitions/#specifying-a-structural-schema. It prunes unknown fields by itself, so it has no
 * `additionalProperties: false`, and it cannot say "a string or a list", nor "anything".
 */
function inputJsonSchema(): Schema {
  return z.toJSONSchema(inputSchema, {
    io: "input",
    target: "openapi-3.0",
    override: ({ jsonSchema }) => {
      // A structural schema has `properties` or `additionalProperties`, not both.
      const isLoose = jsonSchema.properties !== undefined && typeof jsonSchema.additionalProperties === "object";
      // The API's types leave out an empty map.
      if (Object.keys(jsonSchema.properties ?? { any: true }).length === 0) delete jsonSchema.properties;
      if (isLoose || jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.anyOf === undefined && jsonSchema.type !== undefined && !isLoose) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { "x-kubernetes-preserve-unknown-fields": true });
    },
  });
}

/** The CRD that documents the input in our package. Nobody creates Inputs: they are written into Compositions. */
export function crd(): object {
  const [group, version] = INPUT_API_VERSION.split("/");
  const plural = `${INPUT_KIND.toLowerCase()}s`;
  const { properties, ...schema } = inputJsonSchema();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind: INPUT_KIND,
        listKind: `${INPUT_KIND}List`,
        plural,
        singular: INPUT_KIND.toLowerCase(),
        categories: ["crossplane"],
      },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              ...schema,
              description: "The input of a pipeline step that runs function-shared-infrastructure.",
              // Kubernetes knows these, and takes no more than their types.
              properties: {
                ...properties,
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
              },
            },
          },
        },
      ],
    },
  };
}
