import { INPUT_API_VERSION } from "../../src/input/schema.ts";

/** A mapping of claims of XBucket.platform.example.org to cloud resources. @param more of its entry */
export const mappingOf = (resources: unknown, more: object = {}) => ({
  apiVersion: INPUT_API_VERSION,
  kind: "IdentityMapping",
  mappings: [{ apiGroup: "platform.example.org", kind: "XBucket", resources, ...more }],
});
