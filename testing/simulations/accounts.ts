import { tags } from "../../src/features/tags/tags.ts";
import { parseInput } from "../../src/input/parse.ts";
import type { Condition } from "../../src/model/condition.ts";
import type { Draft } from "../../src/model/draft.ts";
import { type JsonObject, pick } from "../../src/model/json.ts";
import { externallyNamed, withMetadata, withPolicies } from "../builders/composed.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { inputOf } from "../builders/sharing.ts";
import { ABSENT, READY } from "../builders/tags.ts";
import { callUntilStable } from "./calls.ts";
import { lookUpIn, may, metadataOf, objectIn } from "./store.ts";

/** A team's namespace, in which its XR and its ProviderConfig are. */
export interface Team {
  readonly name: string;
  /** The account into which its ProviderConfig leads. */
  readonly account: string;
  /** True if the ProviderConfig says the account; else only its credentials know. */
  readonly isTold?: boolean;
  /** The fields of `tags.owner`. */
  readonly owner?: JsonObject;
  /** The fields of spec.forProvider that its Composition adds, which may change. */
  forProvider?: JsonObject;
  /** The entries of `tags.resources` in its Composition, which may change. */
  resources?: readonly JsonObject[];
  /** True once the step with `tags` is removed from its Composition. */
  lacksStep?: boolean;
}

/** A kind that the teams compose, and the id that the cloud reports of it; undefined for a cloud that reports none. */
export interface SharedKind {
  readonly desired: JsonObject;
  readonly toId: ((account: string) => string) | undefined;
}

/** An IAM role: one of the name in each account. */
export const ROLE: SharedKind = {
  desired: {
    apiVersion: "iam.aws.m.upbound.io/v1beta1",
    kind: "Role",
    ...externallyNamed("deployer"),
    spec: { forProvider: {}, providerConfigRef: { kind: "ProviderConfig", name: "default" } },
  },
  toId: (account) => `arn:aws:iam::${account}:role/deployer`,
};

/** A control plane with namespaces that have a ProviderConfig each, and a cloud of some accounts in which each name exists once. */
export class AccountsWorld {
  readonly #kind: SharedKind;
  readonly #teams: readonly Team[];
  readonly managed = new Map<string, JsonObject>();
  readonly conditions = new Map<string, Condition | undefined>();
  readonly #before = new Map<string, Draft["requirements"]>();
  /** The accounts in which it exists. */
  readonly cloud = new Set<string>();
  /** The teams whose providers wrote it, in order; one that writes several times in a row stands once. */
  readonly log: string[] = [];
  /** The most calls of one reconcile. */
  mostCalls = 0;
  #clock = 0;

  constructor(kind: SharedKind, teams: readonly Team[]) {
    this.#kind = kind;
    this.#teams = teams;
  }

  /** The teams whose managed resources may write. */
  get writers(): readonly string[] {
    return [...this.managed].filter(([, one]) => may(one, "Update")).map(([team]) => team);
  }

  requirementsOf = (team: string): readonly string[] => [...(this.#before.get(team)?.keys() ?? [])];

  reconcile(name: string): void {
    const team = this.#teams.find((one) => one.name === name);
    if (team === undefined) return;
    const observed = this.managed.get(name);
    if (team.lacksStep) {
      this.managed.set(
        name,
        this.#merge(name, withPolicies(withForProvider(this.#kind.desired, team.forProvider), "*"), observed),
      );
      return;
    }
    const add = [{ key: "team", value: name }];
    const outcome = callUntilStable({
      xr: { apiVersion: "example.org/v1", kind: "Shop", metadata: { name: "shop", namespace: name, uid: name } },
      input: parseInput(
        inputOf({ tags: { add, owner: team.owner ?? {}, ...(team.resources && { resources: team.resources }) } }),
      ),
      observed: observed === undefined ? {} : { one: observed },
      desired: { one: withForProvider(this.#kind.desired, team.forProvider) },
      before: this.#before.get(name) ?? new Map(),
      lookUp: lookUpIn([...this.managed.values(), ...this.#teams.map(toConfig)]),
      capabilities: ["RequiredSchemas"],
      feature: tags,
    });
    if (outcome.is === "frozen") throw new Error(`${name}: ${outcome.because}`);
    this.mostCalls = Math.max(this.mostCalls, outcome.calls);
    this.#before.set(name, outcome.draft.requirements);
    this.conditions.set(name, outcome.draft.conditions[0]);
    const edit = objectSetBy(outcome.draft.resources.get("one"));
    if (edit !== undefined) this.managed.set(name, this.#merge(name, edit, observed));
  }

  /** Reconciles the team's managed resource, as its provider does. */
  provide(name: string, canReport = true): void {
    const managed = this.managed.get(name);
    const team = this.#teams.find((one) => one.name === name);
    if (managed === undefined || team === undefined) return;
    const { account } = team;
    const creates = !this.cloud.has(account) && may(managed, "Create");
    if (creates) this.cloud.add(account);
    if (may(managed, "Update") && this.log.at(-1) !== name) this.log.push(name);
    const created = { "crossplane.io/external-create-succeeded": `2026-01-01T00:00:0${++this.#clock}Z` };
    const id = canReport ? this.#kind.toId?.(account) : undefined;
    const status = this.cloud.has(account) ? { ...READY, ...(id && { atProvider: { arn: id } }) } : ABSENT;
    this.managed.set(name, { ...withMetadata(managed, { annotations: creates ? created : {} }), status });
  }

  delete(name: string): void {
    const account = this.#teams.find((one) => one.name === name)?.account ?? "";
    if (may(this.managed.get(name), "Delete")) this.cloud.delete(account);
    this.managed.delete(name);
  }

  /** Lets everybody act until nothing changes; at most twelve rounds. */
  settle(names: readonly string[]): void {
    for (let round = 0; round < 12; round++) {
      for (const name of names) {
        this.reconcile(name);
        this.provide(name);
      }
    }
  }

  /** What Crossplane leaves in the cluster: what is desired, beside what the provider wrote. */
  #merge(name: string, desired: JsonObject, before: JsonObject | undefined): JsonObject {
    const known = metadataOf(before ?? {});
    const provided = pick(objectIn(known, "annotations"), (key) => key.startsWith("crossplane.io/external-create-"));
    const at = String(this.managed.size + this.#clock).padStart(2, "0");
    const merged = withMetadata(desired, {
      name: `shop-${name}`,
      namespace: name,
      uid: `uid-${name}`,
      creationTimestamp: known["creationTimestamp"] ?? `2026-01-01T00:00:${at}Z`,
      ownerReferences: [{ apiVersion: "example.org/v1", kind: "Shop", name: "shop", uid: name, controller: true }],
      annotations: { ...provided, "crossplane.io/composition-resource-name": "one" },
    });
    return { ...merged, ...(before?.["status"] !== undefined && { status: before["status"] }) };
  }
}

function withForProvider(desired: JsonObject, fields: JsonObject = {}): JsonObject {
  const spec = objectIn(desired, "spec");
  return { ...desired, spec: { ...spec, forProvider: { ...objectIn(spec, "forProvider"), ...fields } } };
}

const toConfig = ({ name, account, isTold = false }: Team): JsonObject => ({
  apiVersion: "aws.m.upbound.io/v1beta1",
  kind: "ProviderConfig",
  metadata: { name: "default", namespace: name },
  spec: isTold ? { assumeRoleChain: [{ roleARN: `arn:aws:iam::${account}:role/crossplane` }] } : {},
});
