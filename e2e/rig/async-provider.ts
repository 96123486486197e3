import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import type { Kubectl } from "./kubectl.ts";
import { at, nameOf } from "./objects.ts";

/**
 * A simulator of an asynchronous provider, not a provider: it does with the external name what upjet does where
 * LateInitialize is not among the management policies (crossplane#5918). The cloud gives a name; the provider reports it in
 * `status.atProvider.id`, remembers it in memory, and never stores it in the annotation. One that was restarted has only the
 * annotation to find its resource by, and creates another one where there is none.
 */
export class AsyncProvider {
  readonly #kubectl: Kubectl;
  readonly #kind: string;
  /** What there is in the cloud: the names of the managed resources for which it was created, by the cloud's names. */
  readonly cloud = new Map<string, string>();
  /** The cloud's names by UID; lost with the process. */
  #memory = new Map<string, string>();
  #isStopped = false;

  /** @param kind as kubectl knows it: the plural and the group. */
  constructor(kubectl: Kubectl, kind: string) {
    this.#kubectl = kubectl;
    this.#kind = kind;
  }

  /** Reconciles until it is stopped. @throws {Error} where the API server is gone. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      // One that was deleted in between cannot be reconciled.
      for (const resource of await this.#kubectl.list(this.#kind)) await this.#reconcile(resource).catch(() => {});
      await sleep(300);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** As when its pod is replaced. */
  restart(): void {
    this.#memory = new Map();
  }

  async #reconcile(resource: JsonObject): Promise<void> {
    const uid = String(at(resource, "metadata.uid"));
    const annotated = at(resource, "metadata.annotations[crossplane.io/external-name]");
    const known = typeof annotated === "string" && this.cloud.has(annotated) ? annotated : this.#memory.get(uid);
    const id = known ?? this.#create(nameOf(resource));
    this.#memory.set(uid, id);
    if (at(resource, "status.atProvider.id") === id) return;
    const status = { atProvider: { id } };
    await this.#kubectl.patch(`${this.#kind}/${nameOf(resource)}`, { status }, { subresource: "status" });
  }

  #create(createdFor: string): string {
    const id = `cloud-${this.cloud.size + 1}`;
    this.cloud.set(id, createdFor);
    return id;
  }
}
