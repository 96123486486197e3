import type { JsonObject } from "../../src/model/json.ts";
import { xr } from "../../testing/builders/sharing.ts";
import { bucket, DOMAIN, named } from "../../testing/builders/tags.ts";
import { lastCall, type OurParts, selectorsIn } from "../requests/last-call.ts";
import { list, map, type Row, rowsOf } from "./row.ts";

const text = (index: number): readonly [string, string] => [`key-${index}`, "text"];

const ofTeam = (parameters: JsonObject): JsonObject =>
  xr({ spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" }, parameters } });

const reporting = (tags: JsonObject): JsonObject =>
  bucket({}, { metadata: { name: "bucket" }, status: { atProvider: { tags } } });

/** Resources of a kind whose tags no cloud limits. */
const unlimited = (tags: JsonObject, parameters: JsonObject, count: number): OurParts => ({
  xr: ofTeam(parameters),
  spec: { tags: { add: [tags], resources: [{ fieldPath: "spec.tags" }] } },
  desired: map(count, (index) => [`thing-${index}`, { apiVersion: "example.org/v1", kind: "Thing", spec: {} }]),
});

/** One bucket, and tags that the cloud reports of it. */
const tagged = (tags: JsonObject, parameters: JsonObject, cloud: JsonObject = {}): OurParts => ({
  xr: ofTeam(parameters),
  spec: { tags },
  desired: { bucket: bucket() },
  observed: { bucket: reporting(cloud) },
});

/** Long globs of the Composition. */
const questioned = (cloud: JsonObject): OurParts =>
  tagged({ preserve: list(20, (index) => `*?${"a".repeat(250)}${String.fromCharCode(98 + index)}*`) }, {}, cloud);

/** The labels by which the function finds those that declare this bucket, each with the same text. */
function identityOf(desired: JsonObject): JsonObject {
  const request = lastCall({ xr: ofTeam({}), spec: { tags: {} }, desired: { bucket: desired } });
  const asked = [...selectorsIn(request)].find(([name]) => name.startsWith("tags/"))?.[1].match;
  const [identity = ""] = Object.values(asked !== undefined && "labels" in asked ? asked.labels : {});
  return Object.fromEntries(["identity", "contends", "writes"].map((label) => [`${DOMAIN}/${label}`, identity]));
}
const IDENTITY = identityOf(bucket({}, named));

/** A bucket that others may declare as well, as it is observed. */
const contender = (index: number, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "s3.aws.upbound.io/v1beta2",
  kind: "Bucket",
  metadata: {
    name: `bucket-${index}`,
    uid: `uid-${index}`,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: IDENTITY,
    annotations: {
      "crossplane.io/external-name": "orders",
      [`${DOMAIN}/owner`]: `XShop.apps.example.org/shop-${index}`,
      "crossplane.io/composition-resource-name": `bucket-${index}`,
      ...annotations,
    },
  },
  spec: { managementPolicies: ["Observe"], forProvider: { region: "eu-central-1" } },
});

/** Several resources of one XR that name one bucket, and more that other XRs have. */
function contended(own: number, others: number, annotations: JsonObject = {}): OurParts {
  const mine = list(own, (index) => contender(index));
  return {
    xr: ofTeam({}),
    spec: { tags: { add: [{ key: "team", value: "shop" }] } },
    desired: map(own, (index) => [`bucket-${index}`, bucket({}, named)]),
    observed: map(own, (index) => [`bucket-${index}`, contender(index)]),
    cluster: [...mine, ...list(others, (index) => contender(own + index, annotations))],
  };
}

/** A resource of a kind that is in no table, so that the references in its fields tell what identifies it. */
const ofUnknownKind = (forProvider: JsonObject): OurParts => ({
  xr: ofTeam({}),
  spec: { tags: { add: [{ key: "team", value: "shop" }], resources: [{ fieldPath: "spec.forProvider.tags" }] } },
  desired: { topic: { apiVersion: "queue.example.org/v1", kind: "Topic", ...named, spec: { forProvider } } },
});

/** As many as the codec that makes the requests takes. */
const LEVELS = 40;
const nested = (innermost: JsonObject): JsonObject =>
  list(LEVELS, () => undefined).reduce<JsonObject>((inner) => ({ a: inner, aRef: {} }), innermost);

/** The same of a kind whose provider reports no tags, as in the classic provider-aws. */
function contendedClassic(count: number): OurParts {
  const { apiVersion, kind } = { apiVersion: "dynamodb.aws.crossplane.io/v1alpha1", kind: "Table" };
  const desired = bucket({}, { ...named, apiVersion, kind });
  const status = { conditions: [{ type: "Synced", status: "True" }] };
  const labels = identityOf(desired);
  const table = (index: number): JsonObject => {
    const { metadata, ...rest } = contender(index);
    return { ...rest, apiVersion, kind, metadata: { ...(metadata as JsonObject), labels }, status };
  };
  const parts = contended(count, 0);
  return {
    ...parts,
    desired: map(count, (index) => [`bucket-${index}`, desired]),
    observed: map(count, (index) => [`bucket-${index}`, table(index)]),
    cluster: list(2 * count, table),
  };
}

const KEYS = { fromCompositeFieldPath: "spec.parameters.keys" };
const STARS = "*a".repeat(20);

export const tagRows: readonly Row[] = rowsOf("tags", {
  "a map of the XR on one resource": (n) =>
    tagged({ add: [{ value: { fromCompositeFieldPath: "spec.parameters.tags" } }] }, { tags: map(n, text) }),
  "a map of the XR on as many resources": (n) => ({
    xr: ofTeam({ tags: map(n, text) }),
    spec: { tags: { add: [{ value: { fromCompositeFieldPath: "spec.parameters.tags" } }] } },
    desired: map(n, (index) => [`bucket-${index}`, bucket()]),
  }),
  "a map of the XR on as many resources that know no limit": (n) =>
    unlimited({ value: { fromCompositeFieldPath: "spec.parameters.tags" } }, { tags: map(n, text) }, n),
  "a text of the XR on 100 resources that take less": (n) => ({
    ...tagged(
      { add: [{ key: "a", value: { fromCompositeFieldPath: "spec.parameters.text" } }] },
      { text: "a".repeat(n) },
    ),
    desired: map(100, (index) => [`bucket-${index}`, bucket()]),
  }),
  "a text of the XR on resources that know no limit": (n) =>
    unlimited({ key: "a", value: { fromCompositeFieldPath: "spec.parameters.text" } }, { text: "a".repeat(n * 50) }, n),
  "a tag's value": (n) =>
    tagged({ add: [{ key: "a", value: { fromCompositeFieldPath: "spec.parameters.text" } }] }, { text: "a".repeat(n) }),
  "remove, a list of the XR, of as many tags": (n) =>
    tagged(
      { remove: [{ keys: KEYS }], add: [{ value: { fromCompositeFieldPath: "spec.parameters.tags" } }] },
      { keys: list(n, (index) => `other-${index}`), tags: map(n, text) },
    ),
  "preserve, a list of the XR, of as many tags": (n) =>
    tagged({ preserve: [{ keys: KEYS }] }, { keys: list(n, (index) => `other-${index}`) }, map(n, text)),
  "preserve, a text of stars, and a tag's key": (n) =>
    tagged({ preserve: [{ keys: KEYS }] }, { keys: `${STARS}${"*a".repeat(n)}b` }, { ["a".repeat(n)]: "text" }),
  "preserve, a glob of the input, and a tag's key": (n) =>
    tagged({ preserve: [`${STARS}*b`] }, {}, { ["a".repeat(n)]: "text" }),
  "preserve, globs with ? of the input, and a tag's key": (n) => questioned({ ["a".repeat(n)]: "text" }),
  "preserve, globs with ? of the input, and keys of tags": (n) =>
    questioned(map(n, (index) => [`${"a".repeat(500)}${index}`, "text"])),
  "tags that the cloud reports, all preserved": (n) => tagged({ preserve: ["*"] }, {}, map(n, text)),
  "tags that the cloud reports, as a list": (n) => ({
    ...tagged({ preserve: ["*"] }, {}),
    observed: {
      bucket: bucket(
        { tags: list(n, (index) => ({ key: `key-${index}`, value: "text" })) },
        { status: { atProvider: { tags: list(n, (index) => ({ key: `key-${index}`, value: "text" })) } } },
      ),
    },
  }),
  "resources with tags": (n) => ({
    xr: ofTeam({}),
    spec: { tags: { add: [{ key: "team", value: "shop" }] } },
    desired: map(n, (index) => [`bucket-${index}`, bucket()]),
  }),
  "contenders for a cloud resource": (n) => contended(1, n),
  "own resources for one cloud resource": (n) => contended(n, 0),
  "own resources and as many contenders": (n) => contended(n, n),
  "own resources and as many contenders, whose provider reports no tags": contendedClassic,
  "names in a contender's annotation": (n) =>
    contended(1, 1, {
      [`${DOMAIN}/tags-owner`]: "XShop.apps.example.org/shop-1#bucket-1",
      [`${DOMAIN}/contenders`]: list(n, (index) => `b-${index}`).join(","),
    }),
  "fields of an unknown kind, below a long name": (n) =>
    ofUnknownKind({ ["a".repeat(n * 5)]: list(n, () => ({ id: "a", idRef: null })) }),
  "fields of an unknown kind, and as many paths in its annotation scope": (n) => {
    const { desired, ...parts } = ofUnknownKind(map(n, text));
    const { metadata, ...topic } = desired?.["topic"] ?? {};
    const scope = list(n, (index) => `spec.forProvider.key-${index}`).join();
    const annotations = { ...((metadata as JsonObject)["annotations"] as JsonObject), [`${DOMAIN}/scope`]: scope };
    const labels = { [`${DOMAIN}/identity`]: "former" };
    return { ...parts, desired: desired ?? {}, observed: { topic: { ...topic, metadata: { annotations, labels } } } };
  },
  "fields of an unknown kind, nested": (n) => ofUnknownKind(nested(map(n, text))),
  "labels of a resource": (n) => ({
    xr: ofTeam({}),
    spec: { tags: { add: [{ key: "team", value: "shop" }] } },
    desired: { bucket: bucket({}, { metadata: { labels: map(n, text) } }) },
    observed: { bucket: bucket({}, { metadata: { labels: map(n, text), annotations: map(n, text) } }) },
  }),
});
