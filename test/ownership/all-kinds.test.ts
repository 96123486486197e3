import { expect, test } from "vitest";
import { listTables } from "../../scripts/facts/list-tables.ts";
import { withValueAt } from "../../src/model/field-path.ts";
import { identityOf, named, resource } from "./identity-of.ts";

const DOMAINS = ["aws.upbound.io", "aws.crossplane.io", "azure.upbound.io", "gcp.upbound.io"];

test("of all kinds, two that differ in one identifying field are two, and one without that field's reference resolved is none", () => {
  let compared = 0;
  listTables().forEach(({ entries }, index) => {
    for (const [entry, { fields }] of entries) {
      const [service = "", kind = ""] = entry.split(":");
      const group = [service, DOMAINS[index]].filter((part) => part !== "-").join(".");
      const paths = fields.map((field) => ["spec", "forProvider", ...field]);
      const base = paths.reduce(
        (object, path) => withValueAt(object, path, "a"),
        resource(`${group}/v1`, kind, named("x"), { region: "r" }),
      );
      const one = identityOf(base)?.identity;
      expect(one, entry).toBeDefined();
      for (const path of paths) {
        expect(identityOf(withValueAt(base, path, "b"))?.identity, `${entry} ${path}`).not.toBe(one);
        const reference = [...path.slice(0, -1), `${path.at(-1)}Ref`];
        const unresolved = withValueAt(withValueAt(base, path, ""), reference, { name: "a" });
        expect(identityOf(unresolved), `${entry} ${path}`).toBeUndefined();
        compared++;
      }
    }
  });
  expect(compared).toBeGreaterThan(1700);
});
