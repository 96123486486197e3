import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Reason } from "../cli/explain/explain.ts";
import { healthReasons } from "../scripts/generate/reasons.ts";
import { run, toolOrSkip } from "../testing/tools/server-tools.ts";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

const argocd = toolOrSkip("argocd") ?? "";
const patch = fileURLToPath(new URL("../deploy/argocd/argocd-cm.yaml", import.meta.url));

interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

const CLAIM = { apiVersion: "platform.example.org/v1alpha1", kind: "OrdersApp" };
const OBJECT = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" };
/** In the order in which Argo CD's own check ends at the first. */
const READY: Shown = { type: "Ready", status: "True", reason: "Available" };
const SYNCED: Shown = { type: "Synced", status: "True", reason: "ReconcileSuccess" };

/** Asks Argo CD how healthy an object is: `STATUS MESSAGE`. */
async function healthOf(kind: typeof CLAIM, conditions: readonly Shown[] | undefined): Promise<string> {
  const file = join(temporaryFolder(), "object.json");
  const status = conditions === undefined ? {} : { status: { conditions } };
  writeFileSync(file, JSON.stringify({ ...kind, metadata: { namespace: "team-a", name: "orders" }, ...status }));
  const args = ["admin", "settings", "resource-overrides", "health", file, "--argocd-cm-path", patch];
  const { exitCode, stdout, stderr } = await run(argocd, args);
  expect(exitCode, stderr).toBe(0);
  const [, health = "", message = ""] = /^STATUS: (\w+)\nMESSAGE: ?(.*)\n$/s.exec(stdout) ?? [];
  return `${health} ${message}`.trim();
}

const HEALTH = { True: "Healthy", Unknown: "Progressing", Waits: "Progressing", False: "Degraded", Stops: "Degraded" };

const toStatus = (state: Reason["state"]): string => (state === "True" || state === "Unknown" ? state : "False");

describe.skipIf(argocd === "")("Argo CD with deploy/argocd/argocd-cm.yaml", () => {
  test("accepts the ConfigMap", async () => {
    const { exitCode, stdout, stderr } = await run(argocd, [
      "admin",
      "settings",
      "validate",
      "--argocd-cm-path",
      patch,
    ]);
    expect({ exitCode, faults: /error|invalid/i.exec(stdout)?.[0] }, stdout + stderr).toEqual({ exitCode: 0 });
  });

  test.concurrent.each(healthReasons)("$type $name ($state)", async ({ type, name, state }) => {
    const condition = { type, status: toStatus(state), reason: name, message: "db: says so" };
    const said = state === "True" ? "Ready Available" : `${type} ${name}: db: says so`;
    expect(await healthOf(CLAIM, [READY, SYNCED, condition])).toBe(`${HEALTH[state]} ${said}`);
  });

  const wait: Shown = { type: "TagsOwned", status: "False", reason: "WaitingForOwner" };
  const refused: Shown = { type: "SharedResourcesReady", status: "False", reason: "AccessNotGranted", message: "no" };
  const fatal: Shown = { type: "Synced", status: "False", reason: "ReconcileError", message: "cannot use the input" };
  const paused: Shown = { ...fatal, reason: "ReconcilePaused" };
  const creating: Shown = { type: "Ready", status: "False", reason: "Creating" };
  const full: Shown = { type: "CapacityAvailable", status: "False", reason: "Full" };
  test.each<{ reason: string; kind?: typeof CLAIM; conditions?: readonly Shown[]; health: string }>([
    { reason: "no status yet", health: "Progressing not Ready yet" },
    {
      reason: "a fault before a wait, in any order",
      conditions: [wait, refused],
      health: "Degraded SharedResourcesReady",
    },
    { reason: "a wait", conditions: [READY, wait], health: "Progressing TagsOwned WaitingForOwner" },
    {
      reason: "a Fatal result",
      conditions: [READY, fatal],
      health: "Degraded Synced ReconcileError: cannot use the input",
    },
    { reason: "a paused XR", conditions: [READY, paused], health: "Suspended Synced ReconcilePaused" },
    { reason: "resources that are not ready", conditions: [SYNCED, creating], health: "Progressing Ready Creating" },
    { reason: "a full member of a pool", conditions: [READY, SYNCED, full], health: "Healthy Ready Available" },
    { reason: "an Object that was ready once", kind: OBJECT, conditions: [READY, fatal], health: "Degraded Synced" },
    { reason: "an Object", kind: OBJECT, conditions: [READY, SYNCED], health: "Healthy Ready Available" },
  ])("$reason: $health", async ({ kind = CLAIM, conditions, health }) => {
    expect(await healthOf(kind, conditions)).toContain(health);
  });
});
