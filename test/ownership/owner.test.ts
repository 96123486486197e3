import { expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { documentOf } from "../../src/model/document.ts";
import { formatOwner } from "../../src/ownership/annotations.ts";

const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };

const claimed = { labels: { "crossplane.io/claim-namespace": "team-a" } };
const nested = { labels: { "crossplane.io/claim-namespace": "team-b" } };

test.each([
  ["a cluster-scoped XR", "XShop.apps.example.org/shop-x7k2p", {}, {}],
  ["a namespaced XR", "XShop.apps.example.org/b/shop-x7k2p", { namespace: "b" }, {}],
  ["an XR with a claim", "Shop.apps.example.org/team-a/shop", {}, { claimRef }],
  ["a labelled XR", "Shop.apps.example.org/team-a/shop", claimed, { claimRef }],
  ["an XR below another team's claim", "XShop.apps.example.org/shop-x7k2p", nested, { claimRef }],
])("the owner of what %s composes is %s", (_of, owner, metadata, spec) => {
  const kind = { apiVersion: "apps.example.org/v1", kind: "XShop" };
  const xr = documentOf({ ...kind, metadata: { name: "shop-x7k2p", ...metadata }, spec });
  expect(formatOwner(toComposite(xr))).toBe(owner);
});
