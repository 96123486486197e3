import { expect, test } from "vitest";
import { fetchSchema } from "../../../cli/render/fetch-schema.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const kinds = (...entries: readonly { group?: string; version: string; kind: string }[]) => ({
  "x-kubernetes-group-version-kind": entries,
});

const documents = [
  {
    Tree: {
      type: "object",
      properties: {
        leaf: ref("Leaf"),
        wrapped: { description: "why", allOf: [ref("Leaf")] },
        list: { type: "array", items: ref("Leaf") },
        map: { type: "object", additionalProperties: ref("Leaf") },
        self: ref("Tree"),
      },
      ...kinds({ group: "example.org", version: "v1", kind: "Tree" }),
    },
    Leaf: { type: "string" },
    Shared: { type: "object", ...kinds({ version: "v1", kind: "A" }, { version: "v1", kind: "B" }) },
    Broken: { type: "object", properties: { a: ref("Nothing") }, ...kinds({ version: "v1", kind: "Broken" }) },
  },
];

test("references are replaced by what they refer to, but for those that lead back", () => {
  const { openapiV3 } = fetchSchema({ apiVersion: "example.org/v1", kind: "Tree" }, documents);
  const leaf = { type: "string" };
  expect(openapiV3).toEqual({
    type: "object",
    properties: {
      leaf,
      wrapped: leaf,
      list: { type: "array", items: leaf },
      map: { type: "object", additionalProperties: leaf },
      self: { type: "object" },
    },
    ...kinds({ group: "example.org", version: "v1", kind: "Tree" }),
  });
});

test.each([
  { reason: "a kind that is not there", selector: { apiVersion: "example.org/v1", kind: "Bush" } },
  { reason: "another version", selector: { apiVersion: "example.org/v2", kind: "Tree" } },
  { reason: "a schema of several kinds", selector: { apiVersion: "v1", kind: "A" } },
])("$reason has no schema", ({ selector }) => {
  expect(fetchSchema(selector, documents)).toEqual({});
});

test("a reference to nothing is an error", () => {
  expect(() => fetchSchema({ apiVersion: "v1", kind: "Broken" }, documents)).toThrow(
    "cannot resolve #/components/schemas/Nothing",
  );
});
