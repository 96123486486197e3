import { healthReasons } from "./reasons.ts";

/** Health checks: for Argo CD, Degraded where a person has to act and Progressing where the condition waits; for Flux, failed and current. */

const types = [...new Set(healthReasons.map(({ type }) => type))];

const waits = healthReasons.filter(({ state }) => state === "Waits").map(({ type, name }) => `${type} ${name}`);

/** All conditions count, in any order: Argo CD's own check of Crossplane's kinds ends at the first Ready that is True. */
const LUA = `
local ours, waits = {}, {}
for _, type in ipairs({
${types.map((type) => `  "${type}",`).join("\n")}
}) do ours[type] = true end
for _, reason in ipairs({
${waits.map((wait) => `  "${wait}",`).join("\n")}
}) do waits[reason] = true end

local rank = {Healthy = 1, Progressing = 2, Suspended = 3, Degraded = 4}
local worst = {status = "Progressing", message = "not Ready yet"}
local worstRank = 0
local function add(status, condition)
  if rank[status] <= worstRank then return end
  worstRank = rank[status]
  local text = condition.type .. " " .. (condition.reason or "")
  if (condition.message or "") ~= "" then text = text .. ": " .. condition.message end
  worst = {status = status, message = text}
end
for _, condition in ipairs(obj.status ~= nil and obj.status.conditions or {}) do
  if ours[condition.type] and condition.status ~= "True" then
    local isWait = condition.status == "Unknown" or waits[condition.type .. " " .. (condition.reason or "")]
    add(isWait and "Progressing" or "Degraded", condition)
  elseif condition.type == "Synced" and condition.status == "False" then
    add(condition.reason == "ReconcilePaused" and "Suspended" or "Degraded", condition)
  elseif condition.type == "Ready" then
    add(condition.status == "True" and "Healthy" or "Progressing", condition)
  end
end
return worst`;

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, " ".repeat(by));

/** Makes the patch of Argo CD's ConfigMap. */
export const argocdPatch =
  (): string => `# Made by npm run generate from docs/conditions.md. Health checks for Argo CD (docs/operations.md#argo-cd-and-flux).
#
# kubectl patch configmap argocd-cm --namespace=argocd --patch-file=deploy/argocd/argocd-cm.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: argocd
  name: argocd-cm
  labels:
    app.kubernetes.io/part-of: argocd
data:
  # Whole groups can be named in this form only. If your argocd-cm has the key already, put the entries below into it.
  resource.customizations: |
    # Your XRs and claims: a line for each of their groups.
    "platform.example.org/*": &health
      health.lua: |${indented(LUA, 8)}
    # Argo CD's own check calls an Object Healthy that was ready once and cannot be synced any more.
    kubernetes.crossplane.io/Object: *health
    kubernetes.m.crossplane.io/Object: *health
`;

/** A list in CEL, an item on a line. */
const listOf = (texts: readonly string[]): string => `[\n${texts.map((text) => `        '${text}'`).join(",\n")}]`;

/** Makes the health checks of a Flux Kustomization. */
export const fluxChecks =
  (): string => `# Made by npm run generate from docs/conditions.md. Health checks for Flux v2.5 and later (docs/operations.md#argo-cd-and-flux): put
# healthCheckExprs into the Kustomization that applies your XRs and claims, an item for each of their kinds.
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  namespace: flux-system
  name: orders
spec:
  interval: 10m
  path: ./orders
  prune: true
  wait: true
  sourceRef: {kind: GitRepository, name: platform}
  healthCheckExprs:
  - apiVersion: platform.example.org/v1alpha1
    kind: OrdersApp
    failed: |-
      has(status.conditions) && status.conditions.exists(c, c.status == 'False' && (
      c.type == 'Synced' && c.reason != 'ReconcilePaused' || c.type in ${listOf(types)}
      && !((c.type + ' ' + c.reason) in ${listOf(waits)})))
    current: |-
      has(status.conditions) && status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
      && status.conditions.all(c, c.status == 'True' || !(c.type in ${listOf(["Synced", ...types])}))
`;
