import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { healthReasons, type Reason } from "../scripts/generate/reasons.ts";
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
    const args = ["admin", "settings", "validate", "--argocd-cm-path", patch];
    const { exitCode, stdout, stderr } = await run(argocd, args);
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
  test.each<[reason: string, health: string, conditions?: readonly Shown[], kind?: typeof CLAIM]>([
    ["no status yet", "Progressing not Ready yet"],
    ["a fault before a wait, in any order", "Degraded SharedResourcesReady", [wait, refused]],
    ["a wait", "Progressing TagsOwned WaitingForOwner", [READY, wait]],
    ["a Fatal result", "Degraded Synced ReconcileError: cannot use the input", [READY, fatal]],
    ["a paused XR", "Suspended Synced ReconcilePaused", [READY, paused]],
    ["resources that are not ready", "Progressing Ready Creating", [SYNCED, creating]],
    ["a full member of a pool", "Healthy Ready Available", [READY, SYNCED, full]],
    ["an Object that was ready once", "Degraded Synced", [READY, fatal], OBJECT],
    ["an Object", "Healthy Ready Available", [READY, SYNCED], OBJECT],
  ])("%s: %s", async (_, health, conditions, kind = CLAIM) => {
    expect(await healthOf(kind, conditions)).toContain(health);
  });
});
