/** A graph of who shares what, of which each output format of `registry graph` is made. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  /** `xr`: an XR or claim that others do not use; `gone`: a shared resource that does not exist. */
  readonly type: "xr" | "shared" | "gone" | "cloud";
  /** Kind.group */
  readonly kind: string;
  readonly name: string;
  /** Undefined for a cluster-scoped object or a cloud resource. */
  readonly namespace: string | undefined;
  /** Of a shared resource: the namespaces with access by its annotations, `*`, or a label selector. */
  readonly grants?: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `requests`, not `uses`: the shared resource does not exist, or its owner does not grant access. */
  readonly type: "uses" | "requests" | "owns" | "observes";
  /** The copies of the connection Secret. */
  readonly secrets: readonly string[];
  /** Other resources that depend on the grant, by name in the XR's Composition. */
  readonly dependents: readonly string[];
  /** The decision of a person for which the XR waits, such as a grant; undefined if it waits for none. */
  readonly waits: string | undefined;
}
