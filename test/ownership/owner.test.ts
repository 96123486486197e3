import { expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { documentOf } from "../../src/model/document.ts";
import { formatOwner } from "../../src/ownership/annotations.ts";

const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };

const claimed = { labels: { "crossplane.io/claim-namespace": "team-a" } };
const nested = { labels: { "crossplane.io/claim-namespace": "team-b" } };

test.each([
  ["a cluster-scoped XR", {}, {}, "XShop.apps.example.org/shop-x7k2p"],
  ["a namespaced XR", { namespace: "b" }, {}, "XShop.apps.example.org/b/shop-x7k2p"],
  ["an XR with a claim", {}, { claimRef }, "Shop.apps.example.org/team-a/shop"],
  ["a labelled XR", claimed, { claimRef }, "Shop.apps.example.org/team-a/shop"],
  ["an XR below another team's claim", nested, { claimRef }, "XShop.apps.example.org/shop-x7k2p"],
])("the owner of what %s composes is known", (_of, metadata, spec, owner) => {
  const kind = { apiVersion: "apps.example.org/v1", kind: "XShop" };
  const xr = documentOf({ ...kind, metadata: { name: "shop-x7k2p", ...metadata }, spec });
  expect(formatOwner(toComposite(xr))).toBe(owner);
});
