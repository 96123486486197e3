import { parseInput } from "../../src/input/parse.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { withMetadata } from "../builders/composed.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { inputOf } from "../builders/sharing.ts";
import { CREATED, READY } from "../builders/tags.ts";
import { callUntilStable } from "./calls.ts";
import { lookUpIn } from "./store.ts";

/** The name that the cloud makes up. */
export const CLOUD_NAME = "vpc-1";

type Objects = Readonly<Record<string, JsonObject>>;

/** An XR, and what it composes. Its provider finds each cloud resource at once. */
export class TaggedXr {
  readonly name: string;
  readonly #spec: JsonObject;
  #created: Objects = {};
  desired: Objects;
  /** The managed resources as the API server shows them. */
  managed: Objects = {};

  constructor(name: string, desired: Objects, spec: JsonObject = {}) {
    this.name = name;
    this.desired = desired;
    this.#spec = { ...spec, tags: { add: [{ key: "team", value: name }], ...(spec["tags"] as JsonObject) } };
  }

  /** Its provider creates the cloud resources, before this function is called for the first time. */
  create(): this {
    this.#created = this.desired;
    this.managed = this.#observe(this.desired);
    return this;
  }

  /** Reconciles the XR as Crossplane does. What is not desired is deleted. */
  reconcile(...others: readonly Pick<TaggedXr, "managed">[]): Draft {
    const outcome = callUntilStable({
      xr: { apiVersion: "example.org/v1", kind: "XShop", metadata: { name: this.name } },
      input: parseInput(inputOf(this.#spec)),
      observed: this.managed,
      desired: this.desired,
      before: new Map(),
      lookUp: lookUpIn([this, ...others].flatMap(({ managed }) => Object.values(managed))),
      capabilities: ["RequiredSchemas"],
    });
    if (outcome.is === "frozen") throw new Error(outcome.because);
    const edits = [...outcome.draft.resources].map(([name, edit]) => [name, objectSetBy(edit)] as const);
    const applied = [...Object.entries(this.desired), ...edits].filter(([, object]) => object !== undefined);
    this.managed = this.#observe(Object.fromEntries(applied) as Objects);
    return outcome.draft;
  }

  #observe(objects: Objects): Objects {
    return Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, this.#show(name, object)]));
  }

  #show(resource: string, object: JsonObject): JsonObject {
    const isCreated = resource in this.#created;
    const controller = {
      apiVersion: "example.org/v1",
      kind: "XShop",
      name: this.name,
      uid: this.name,
      controller: true,
    };
    const { annotations } = (object["metadata"] ?? {}) as Record<string, JsonObject>;
    const metadata = {
      name: `${this.name}-${resource}`,
      uid: `${this.name}-${resource}`,
      creationTimestamp: isCreated ? "2026-01-01T00:00:00Z" : "2026-02-01T00:00:00Z",
      ownerReferences: [controller],
      annotations: {
        "crossplane.io/external-name": CLOUD_NAME,
        ...annotations,
        "crossplane.io/composition-resource-name": resource,
        ...(isCreated && CREATED),
      },
    };
    // The API server fills these in.
    const filled = { providerConfigRef: { name: "default" }, managementPolicies: ["*"] };
    const spec = { ...filled, ...(object["spec"] as JsonObject) };
    return { ...withMetadata({ metadata: {}, ...object, spec }, metadata), status: READY };
  }
}
