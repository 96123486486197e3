import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { toComposite } from "../src/crossplane/composite.ts";
import { annotateCommand, toManagedKind } from "../src/crossplane/managed-resource.ts";
import { documentOf } from "../src/model/document.ts";
import { toCommand } from "../src/model/shell.ts";
import { readReleased, releaseCommand } from "../src/records/restored.ts";

/** The words that sh makes of a command; what it would run is printed and not run. */
function wordsOf(command: string): readonly string[] {
  const script = `kubectl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}\n`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

const HOSTILE = ["a b", "$(id)", "`id`", "'; id; '", "a\nid", "a;id", "a|id", "a,b", "", "!x", "#x", ...'"*~\u00e9\\'];

describe.each(HOSTILE)("what a tenant has named %j", (name) => {
  test("is one word of a command", () => {
    expect(wordsOf(toCommand("kubectl", "annotate", name, "x"))).toEqual(["annotate", name, "x"]);
  });

  test("is one word of the command that annotates it", () => {
    const managed = documentOf({ metadata: { name: `x${name}`, namespace: `n${name}` } });
    const command = annotateCommand(toManagedKind("cloud.example.org/v1", "Bucket"), managed);
    expect(wordsOf(command)).toEqual(["annotate", "bucket.cloud.example.org", `x${name}`, "-n", `n${name}`]);
  });

  test("is released alone", () => {
    const metadata = { name: "orders", uid: "1" };
    const xr = toComposite(documentOf({ apiVersion: "a.example.org/v1", kind: "XStore", metadata }));
    const [key = "", value = ""] = (wordsOf(releaseCommand(xr, `bucket-${name}`)).at(-1) ?? "").split(/=(.*)/s);
    const isReleased = readReleased(documentOf({ metadata: { ...metadata, annotations: { [key]: value } } }));
    expect(isReleased(`bucket-${name}`)).toBe(true);
    expect(
      ["other", "b", "bucket-a", "*", ""].filter((other) => other !== `bucket-${name}`).filter(isReleased),
    ).toEqual([]);
  });
});
