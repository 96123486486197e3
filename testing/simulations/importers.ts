import { parseInput } from "../../src/input/parse.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { externallyNamed, withMetadata } from "../builders/composed.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { inputOf } from "../builders/sharing.ts";
import { managed } from "../builders/tags.ts";
import { callUntilStable } from "./calls.ts";
import { lookUpIn } from "./store.ts";

/** A VPC whose id the cloud makes up: one XR creates it, and another one imports it by that id. */

const NAME = "vpc-1";
const CREATED = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };
const READY = { conditions: ["Synced", "Ready"].map((type) => ({ type, status: "True" })) };

const CLUSTER_SCOPED = "ec2.aws.upbound.io/v1beta1";
export const NAMESPACED = "ec2.aws.m.upbound.io/v1beta1";

/** An XR that composes the VPC, and its managed resource. */
export class Team {
  readonly name: string;
  #desired: JsonObject;
  readonly #spec: JsonObject;
  #isCreator = false;
  managed: JsonObject | undefined;

  /** @param imports true if its Composition names the VPC by its id. */
  constructor(name: string, { apiVersion = CLUSTER_SCOPED as string, imports = false, spec = {} as JsonObject } = {}) {
    this.name = name;
    const forProvider = { region: "eu-central-1", tags: {} };
    this.#desired = managed(apiVersion, "VPC", forProvider, imports ? externallyNamed(NAME) : { metadata: {} });
    this.#spec = { ...spec, tags: { add: [{ key: "team", value: name }] } };
  }

  /** Its provider creates the VPC, before this function is called for the first time. */
  create(): this {
    this.#isCreator = true;
    this.managed = this.#observe(this.#desired);
    return this;
  }

  /** Its Composition desires another ProviderConfig. */
  useProviderConfig(name: string): void {
    const spec = { ...(this.#desired["spec"] as JsonObject), providerConfigRef: { name } };
    this.#desired = { ...this.#desired, spec };
  }

  /** Reconciles the XR as Crossplane does, and its provider finds the VPC. */
  reconcile(all: readonly Team[]): Draft {
    const outcome = callUntilStable({
      xr: { apiVersion: "example.org/v1", kind: "XNetwork", metadata: { name: this.name } },
      input: parseInput(inputOf(this.#spec)),
      observed: this.managed === undefined ? {} : { vpc: this.managed },
      desired: { vpc: this.#desired },
      before: new Map(),
      lookUp: lookUpIn(all.flatMap<JsonObject>((team) => team.managed ?? [])),
      capabilities: ["RequiredSchemas"],
    });
    if (outcome.is === "frozen") throw new Error(outcome.because);
    this.managed = this.#observe(objectSetBy(outcome.draft.resources.get("vpc")) ?? this.#desired);
    return outcome.draft;
  }

  /** The managed resource as the API server shows it. */
  #observe(object: JsonObject): JsonObject {
    const controller = { apiVersion: "example.org/v1", kind: "XNetwork", name: this.name, uid: this.name };
    const own = { "crossplane.io/composition-resource-name": "vpc", "crossplane.io/external-name": NAME };
    const metadata = {
      name: this.name,
      uid: this.name,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ownerReferences: [{ ...controller, controller: true }],
      annotations: { ...own, ...(this.#isCreator && CREATED) },
    };
    // The API server fills the policies in.
    const { managementPolicies = ["*"], ...spec } = object["spec"] as JsonObject;
    return { ...withMetadata(object, metadata), spec: { ...spec, managementPolicies }, status: READY };
  }
}
