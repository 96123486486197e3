import { isObject, type JsonObject } from "../src/model/json.ts";
import { runFunction } from "../src/run-function.ts";
import { inputOf } from "../testing/builders/sharing.ts";
import { decodeResponse } from "../testing/wire/oracle.ts";
import { bodyOf, encode } from "./requests.ts";

/** The same work for us and for a function that people use today, each asked in its own words. */
export interface PeerRequests {
  readonly ours: Buffer;
  readonly theirs: Buffer;
}

type Objects = Readonly<Record<string, JsonObject>>;

const OUR_TAGS = inputOf({ tags: { add: [{ value: { team: "orders", environment: "production" } }] } });

const TAG_MANAGER_INPUT: JsonObject = {
  apiVersion: "tag-manager.fn.crossplane.io/v1beta1",
  kind: "ManagedTags",
  addTags: [{ type: "FromValue", policy: "Replace", tags: { team: "orders", environment: "production" } }],
};

/**
 * Two tags on each of so many resources, which are named by the cloud, so that no other XR can declare them. As in most reconciles,
 * the tags are there already.
 */
export function tagRequests(resources: number): PeerRequests {
  const { desired, ...body } = bodyOf(resources);
  const steady = settled({ ...body, desired: mapped(desired, withoutExternalName) }, {});
  return { ours: encode({ ...steady, input: OUR_TAGS }), theirs: encode({ ...steady, input: TAG_MANAGER_INPUT }) };
}

/**
 * The same on resources that other XRs may declare as well, in the steady state: each is owned by this XR, which takes a look at
 * all that stand for its cloud resource. What Crossplane finds for that is in our requests only, which doubles them.
 */
export function ownedTagRequests(resources: number): PeerRequests {
  const body = bodyOf(resources);
  const theirs = encode({ ...body, required: {}, input: TAG_MANAGER_INPUT });
  return { theirs, ours: encode({ ...settled(body, {}), input: OUR_TAGS }) };
}

type Body = ReturnType<typeof bodyOf>;
type Required = Readonly<Record<string, readonly JsonObject[]>>;

/** The call that changes nothing any more, when Crossplane has applied what the calls before it returned. */
function settled(body: Body, required: Required): Body & { readonly required: Required } {
  const asked = encode({ ...body, required, input: OUR_TAGS });
  const { desired, requirements } = decodeResponse(runFunction(asked).response);
  const observed = mapped(body.observed, (object, name) => applied(object, desired.resources.get(name)?.object ?? {}));
  const all = Object.values(observed);
  const found = [...(requirements?.resources ?? [])].map(([name, { match }]) => {
    const labels = "labels" in match ? Object.entries(match.labels) : [];
    return [name, all.filter((object) => labels.every(([key, value]) => labelsOf(object)[key] === value))] as const;
  });
  const next: Required = Object.fromEntries(found);
  const isSettled = JSON.stringify([body.observed, required]) === JSON.stringify([observed, next]);
  return isSettled ? { ...body, required } : settled({ ...body, observed }, next);
}

/** Merges desired fields into an observed resource, as server-side apply does. */
function applied(observed: JsonObject, desired: JsonObject): JsonObject {
  const fields = Object.entries(desired).map(([key, value]) => {
    const before = observed[key];
    return [key, isObject(value) && isObject(before) ? applied(before, value) : value] as const;
  });
  return { ...observed, ...Object.fromEntries(fields) };
}

function labelsOf({ metadata }: JsonObject): JsonObject {
  const labels = isObject(metadata) ? metadata["labels"] : undefined;
  return isObject(labels) ? labels : {};
}

function withoutExternalName(object: JsonObject): JsonObject {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const annotations = Object.entries(isObject(metadata["annotations"]) ? metadata["annotations"] : {});
  const others = annotations.filter(([key]) => key !== "crossplane.io/external-name");
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

const mapped = (objects: Objects, to: (object: JsonObject, name: string) => JsonObject): Objects =>
  Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, to(object, name)]));

const SELECTED = { apiVersion: "rds.aws.upbound.io/v1beta1", kind: "Instance" };
const LABEL = { key: "crossplane.io/claim-name", value: "orders" };

const OUR_SELECTION = inputOf({
  contextKey: "apiextensions.crossplane.io/extra-resources",
  sharedResources: [
    {
      name: "shared",
      ...SELECTED,
      select: { matchLabels: [LABEL], minMatch: 1, maxMatch: 100, sortByFieldPath: "metadata.name" },
    },
  ],
});

const EXTRA_RESOURCES_INPUT: JsonObject = {
  apiVersion: "extra-resources.fn.crossplane.io/v1beta1",
  kind: "Input",
  spec: {
    extraResources: [
      {
        into: "shared",
        ...SELECTED,
        type: "Selector",
        selector: { matchLabels: [{ ...LABEL, type: "Value" }], minMatch: 1, maxMatch: 100 },
      },
    ],
  },
};

/** Selects so many resources into the context, beside composed ones that do not matter. */
export function selectRequests(selected: number, composed: number): PeerRequests {
  const body = bodyOf(composed);
  const items = Object.values(bodyOf(selected).observed);
  const asked = decodeResponse(runFunction(encode({ ...body, required: {}, input: OUR_SELECTION })).response);
  const [name = ""] = asked.requirements?.resources.keys() ?? [];
  return {
    ours: encode({ ...body, required: { [name]: items }, input: OUR_SELECTION }),
    theirs: encode({ ...body, required: { shared: items }, input: EXTRA_RESOURCES_INPUT }),
  };
}
