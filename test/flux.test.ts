import { readFileSync } from "node:fs";
import { celEnv, parse as parseCel, plan } from "@bufbuild/cel";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { healthReasons } from "../scripts/generate/reasons.ts";

interface Kustomization {
  readonly spec: { readonly healthCheckExprs: readonly [Readonly<Record<"failed" | "current", string>>] };
}

const file = new URL("../deploy/flux/kustomization.yaml", import.meta.url);
const [{ failed, current }] = (parse(readFileSync(file, "utf8")) as Kustomization).spec.healthCheckExprs;
const [isFailed, isCurrent] = [failed, current].map((expression) => plan(celEnv(), parseCel(expression)));

/** Judges an object as Flux does: failed before current, and in progress otherwise. */
function healthOf(...conditions: readonly object[]): string {
  const bindings = { status: { conditions } };
  if (isFailed?.(bindings as never) === true) return "Failed";
  return isCurrent?.(bindings as never) === true ? "Current" : "InProgress";
}

const READY = { type: "Ready", status: "True", reason: "Available" };
const SYNCED = { type: "Synced", status: "True", reason: "ReconcileSuccess" };
const FULL = { type: "CapacityAvailable", status: "False", reason: "Full" };
const HEALTH = { True: "Current", Unknown: "InProgress", Waits: "InProgress", False: "Failed", Stops: "Failed" };

describe("Flux with deploy/flux/kustomization.yaml", () => {
  test.each(healthReasons)("$type $name ($state)", ({ type, name, state }) => {
    const status = state === "True" || state === "Unknown" ? state : "False";
    expect(healthOf(READY, SYNCED, { type, status, reason: name })).toBe(HEALTH[state]);
  });

  test.each([
    ["no conditions yet", "InProgress", []],
    ["resources that are not ready", "InProgress", [SYNCED, { ...READY, status: "False" }]],
    ["a Fatal result", "Failed", [READY, { ...SYNCED, status: "False", reason: "ReconcileError" }]],
    ["a paused XR", "InProgress", [READY, { ...SYNCED, status: "False", reason: "ReconcilePaused" }]],
    ["a full member of a pool", "Current", [READY, SYNCED, FULL]],
  ])("%s: %s", (_, health, conditions) => {
    expect(healthOf(...conditions)).toBe(health);
  });
});
