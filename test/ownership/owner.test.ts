import { expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { documentOf } from "../../src/model/document.ts";
import { formatOwner } from "../../src/ownership/annotations.ts";

const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };

const claimed = { labels: { "crossplane.io/claim-namespace": "team-a" } };
const nested = { labels: { "crossplane.io/claim-namespace": "team-b" } };

test.each([
  { of: "a cluster-scoped XR", metadata: {}, spec: {}, owner: "XShop.apps.example.org/shop-x7k2p" },
  { of: "a namespaced XR", metadata: { namespace: "b" }, spec: {}, owner: "XShop.apps.example.org/b/shop-x7k2p" },
  { of: "an XR with a claim", metadata: {}, spec: { claimRef }, owner: "Shop.apps.example.org/team-a/shop" },
  { of: "a labelled XR", metadata: claimed, spec: { claimRef }, owner: "Shop.apps.example.org/team-a/shop" },
  {
    of: "an XR below a claim's, whose Composition lets its tenant name the claim of another team,",
    metadata: nested,
    spec: { claimRef },
    owner: "XShop.apps.example.org/shop-x7k2p",
  },
])("the owner of what $of composes is $owner", ({ metadata, spec, owner }) => {
  const kind = { apiVersion: "apps.example.org/v1", kind: "XShop" };
  const xr = documentOf({ ...kind, metadata: { name: "shop-x7k2p", ...metadata }, spec });
  expect(formatOwner(toComposite(xr))).toBe(owner);
});
