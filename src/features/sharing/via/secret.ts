import type { Composite } from "../../../crossplane/composite.ts";
import type { JsonObject } from "../../../model/json.ts";
import { OWNER, ownerOf, SHARED_FROM } from "../../../ownership/owner.ts";
import type { Data } from "../data.ts";
import { targetLabel } from "../holder.ts";
import type { SecretName } from "../source.ts";
import type { Target } from "../target.ts";

/** The copy itself. Without `data`, it is what a provider fills with it. */
export const toSecret = (source: SecretName, target: Target, composite: Composite, data?: Data): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: target.name,
    namespace: target.namespace,
    labels: { ...target.copy.labels, ...targetLabel(target) },
    annotations: {
      ...target.copy.annotations,
      [OWNER]: ownerOf(composite),
      [SHARED_FROM]: `${source.namespace}/${source.name}`,
    },
  },
  type: target.copy.type,
  ...(data !== undefined && { data: Object.fromEntries(data) }),
});
