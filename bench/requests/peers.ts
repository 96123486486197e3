import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { desiredIn, encode, lastCall, type Objects } from "./last-call.ts";
import { bodyOf } from "./requests.ts";

/** The same work for this function and for one that people use today, each asked in its own words. */
export interface PeerRequests {
  readonly ours: Buffer;
  readonly theirs: Buffer;
}

type Body = ReturnType<typeof bodyOf>;

const OUR_TAGS: JsonObject = {
  tags: {
    add: [
      { key: "team", value: "orders" },
      { key: "environment", value: "production" },
    ],
  },
};

const TAG_MANAGER_INPUT: JsonObject = {
  apiVersion: "tag-manager.fn.crossplane.io/v1beta1",
  kind: "ManagedTags",
  addTags: [{ type: "FromValue", policy: "Replace", tags: { team: "orders", environment: "production" } }],
};

/** Two tags on each of so many resources that the XR has created and the cloud has named. The tags are there already. */
export function tagRequests(resources: number): PeerRequests {
  const { desired, ...body } = bodyOf(resources);
  const steady = steadyOf({ ...body, desired: mapped(desired, withoutExternalName) });
  return { ours: tagging(steady), theirs: encode(steady, TAG_MANAGER_INPUT) };
}

/**
 * The same on resources that other XRs may declare as well: this XR owns each of them. What Crossplane finds for that is in our
 * requests only, which doubles them.
 */
export function ownedTagRequests(resources: number): PeerRequests {
  const body = bodyOf(resources);
  return { ours: tagging(steadyOf(body)), theirs: encode(body, TAG_MANAGER_INPUT) };
}

const tagging = (body: Body): Buffer => lastCall({ ...body, spec: OUR_TAGS, cluster: Object.values(body.observed) });

/** The state in which a reconcile changes nothing any more. */
function steadyOf(body: Body): Body {
  const desired = desiredIn(tagging(body));
  const observed = mapped(body.observed, (object, name) => applied(object, desired[name] ?? {}));
  return isDeepStrictEqual(observed, body.observed) ? body : steadyOf({ ...body, observed });
}

/** Merges desired fields into an observed resource, as server-side apply does. */
function applied(observed: JsonObject, desired: JsonObject): JsonObject {
  const fields = Object.entries(desired).map(([key, value]) => {
    const before = observed[key];
    return [key, isObject(value) && isObject(before) ? applied(before, value) : value] as const;
  });
  return { ...observed, ...Object.fromEntries(fields) };
}

function withoutExternalName(object: JsonObject): JsonObject {
  const { annotations, ...metadata } = object["metadata"] as { readonly annotations: JsonObject };
  const { "crossplane.io/external-name": _, ...others } = annotations;
  return { ...object, metadata: { ...metadata, annotations: others } };
}

const mapped = (objects: Objects, to: (object: JsonObject, name: string) => JsonObject): Objects =>
  Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, to(object, name)]));

const SELECTED = { apiVersion: "rds.aws.upbound.io/v1beta1", kind: "Instance" };
const LABEL = { key: "crossplane.io/claim-name", value: "orders" };
const MATCHES = { minMatch: 1, maxMatch: 100 };

const OUR_SELECTION: JsonObject = {
  contextKey: "apiextensions.crossplane.io/extra-resources",
  sharedResources: [
    {
      name: "shared",
      into: "shared",
      ...SELECTED,
      select: { matchLabels: { [LABEL.key]: LABEL.value }, ...MATCHES, sortByFieldPath: "metadata.name" },
      grant: "None",
    },
  ],
};

const EXTRA_RESOURCES_INPUT: JsonObject = {
  apiVersion: "extra-resources.fn.crossplane.io/v1beta1",
  kind: "Input",
  spec: {
    extraResources: [
      {
        into: "shared",
        ...SELECTED,
        type: "Selector",
        selector: { matchLabels: [{ ...LABEL, type: "Value" }], ...MATCHES },
      },
    ],
  },
};

/** Selects so many resources into the context, beside composed ones that do not matter. */
export function selectRequests(selected: number, composed: number): PeerRequests {
  const body = bodyOf(composed);
  const cluster = Object.values(bodyOf(selected).observed);
  return {
    ours: lastCall({ ...body, spec: OUR_SELECTION, cluster }),
    theirs: encode(body, EXTRA_RESOURCES_INPUT, new Map([["shared", cluster]])),
  };
}
