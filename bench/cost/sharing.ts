import { MAX_TARGETS } from "../../src/features/sharing/reasons.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { ALLOWED, database, shared, xr } from "../../testing/builders/sharing.ts";
import { desiredIn, lastCall, type OurParts } from "../requests/last-call.ts";
import { list, map, type Row, rowsOf, textMap } from "./row.ts";

const secretName = "orders-db";
const nameOf = (index: number): string => `ns-${index}`;
const texts = (length: number): readonly string[] => list(length, nameOf);

const namespace = (name: string, accepted = "*"): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations: { "shared-infrastructure.fn.crossplane.io/accept-copies-from": accepted } },
});

const secret = (data: JsonObject = { password: "aHVudGVyMg==" }): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "orders-conn", namespace: "databases", resourceVersion: "7" },
  data,
});

const allowing = (namespaces: string): JsonObject => database({ annotations: { [ALLOWED]: namespaces } });

/** A database whose metadata has labels and whatever else. */
const labelled = (name: string, more: JsonObject = {}): JsonObject =>
  database({ metadata: { name, labels: { team: "orders" }, annotations: { [ALLOWED]: "*" } }, ...more });

const withParameters = (parameters: JsonObject): JsonObject => {
  const { spec, ...rest } = xr();
  return { ...rest, spec: { ...(spec as JsonObject), parameters: { database: "orders", ...parameters } } };
};

const shares = (share: JsonObject, more: JsonObject = {}): JsonObject => ({
  sharedResources: [shared(share)],
  ...more,
});
const copying = (copy: JsonObject, share: JsonObject = {}): JsonObject =>
  shares({ connection: { copies: [{ secretName, ...copy }] }, ...share });

/** Copies to namespaces that a field of the XR lists. */
const toNamespaces = (namespaces: readonly string[], owner: JsonObject, share: JsonObject = {}): OurParts => ({
  xr: withParameters({ namespaces }),
  spec: copying({ namespaces: { fromCompositeFieldPath: "spec.parameters.namespaces" } }, share),
  cluster: [owner, secret(), ...new Set(namespaces)].map((one) => (typeof one === "string" ? namespace(one) : one)),
});

const byLabels = { matchLabels: { team: "orders" } };
function withoutConnection(share: JsonObject): JsonObject {
  const { connection: _, ...rest } = shared(share);
  return { sharedResources: [rest] };
}

const referenceGrant = (index: number, from: readonly JsonObject[], to: readonly JsonObject[]): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { name: `grant-${index}`, namespace: "databases" },
  spec: { from, to },
});
const FROM = { group: "apps.example.org", kind: "XShop" };
const granted = (grants: readonly JsonObject[]): OurParts => ({
  xr: xr(),
  spec: shares({ grant: "ReferenceGrant" }),
  cluster: [database(), ...grants],
});

/** The composed copies, as observed once their providers have made them ready and report them. */
function observedCopies(parts: OurParts): Readonly<Record<string, JsonObject>> {
  const conditions = ["Ready", "Synced"].map((type) => ({ type, status: "True" }));
  const entries = Object.entries(desiredIn(lastCall(parts))).map(([name, object], index) => {
    const metadata = { ...(object["metadata"] as JsonObject), name: `composed-${index}` };
    return [name, { ...object, metadata, status: { conditions, atProvider: object["spec"] ?? null } }] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * As many copies as namespaces, composed before; then something happens to their source. One shared resource has a limit of copies,
 * beyond which names are read and nothing is made for them, so there are as many as that takes.
 */
function copied(count: number, owner: JsonObject | undefined, share: JsonObject = {}): OurParts {
  const names = texts(count);
  const lists = list(Math.ceil(count / MAX_TARGETS), (index) =>
    names.slice(index * MAX_TARGETS, (index + 1) * MAX_TARGETS),
  );
  const specOf = (more: JsonObject): JsonObject => ({
    sharedResources: lists.map((_, index) => {
      const namespaces = { fromCompositeFieldPath: `spec.parameters.namespaces[${index}]` };
      return shared({ name: `db-${index}`, connection: { copies: [{ secretName, namespaces }] }, ...more });
    }),
  });
  const team = withParameters({ namespaces: lists });
  const others = [secret(), ...names.map((name) => namespace(name))];
  return {
    xr: team,
    spec: specOf(share),
    observed: observedCopies({ xr: team, spec: specOf({}), cluster: [allowing("*"), ...others] }),
    cluster: owner === undefined ? others : [owner, ...others],
  };
}

/** The same while the XR names no database that there is: each copy is judged by what is recorded on it. */
function kept(parts: OurParts, more: readonly JsonObject[] = []): OurParts {
  const { cluster = [] } = parts;
  return { ...parts, xr: withParameters({ database: "none" }), cluster: [...cluster, ...more] };
}

/** Copies of one Secret whose Objects only observe: a team may have the XR observe any number. Their grant was taken back. */
function limited(count: number): OurParts {
  const parts = { xr: withParameters({}), spec: copying({ via: "Object" }), cluster: [allowing("none"), secret()] };
  const [copy = {}] = Object.values(observedCopies({ ...parts, cluster: [allowing("*"), secret()] }));
  const object = { ...copy, spec: { ...(copy["spec"] as JsonObject), managementPolicies: ["Observe"] } };
  return { ...parts, observed: map(count, (index) => [`shared/db/team-a/${index}`, object]) };
}

/** The same in one namespace of theirs, which lists whose copies it accepts. */
function inOneNamespace(parts: OurParts, accepted: string): OurParts {
  const observed = JSON.stringify(parts.observed).replaceAll(/"namespace":"ns-\d+"/g, '"namespace":"theirs"');
  return kept({ ...parts, observed: JSON.parse(observed) }, [namespace("theirs", accepted)]);
}

const patching = (value: JsonObject["status"], patch: JsonObject): OurParts => ({
  xr: xr(),
  spec: shares({ patches: [{ fromFieldPath: "status.found", ...patch }] }),
  cluster: [database({ status: { found: value ?? null } })],
});

const keys = (count: number) => map(count, (index) => [`key-${index}`, "aHVudGVyMg=="] as const);

const carrying = (via: string, count: number): OurParts => ({
  xr: xr(),
  spec: copying({ via }),
  cluster: [database(), secret(keys(count)), namespace("team-a")],
});

/** The request of as many copies as a response can hold, with what is found for them. Further ones are left out, and are in no request. */
const COPIES_BYTES = 4 * 1024 * 1024;

const targets = rowsOf("sharing", {
  "namespaces of the XR": (n) => toNamespaces(texts(n), allowing("*")),
  "the same namespace again and again": (n) =>
    toNamespaces(
      list(n, () => "team-a"),
      allowing("*"),
    ),
  "namespaces of the XR, none granted": (n) => toNamespaces(texts(n), allowing("none")),
  "namespaces of the XR and of the grant": (n) => toNamespaces(texts(n), allowing(texts(n).join(","))),
  "namespaces of the XR, and labels of the XR": (n) => {
    const { xr: team = {}, ...parts } = toNamespaces(texts(Math.min(n, MAX_TARGETS)), allowing("*"));
    return { ...parts, xr: { ...team, metadata: { name: "shop", labels: textMap(20 * n, "label") } } };
  },
  "commas in the grant, 1,000 namespaces": (n) => toNamespaces(texts(1000), allowing(",".repeat(n))),
  "secretName of the XR": (n) => ({
    xr: withParameters({ secret: "a".repeat(n) }),
    spec: copying({ secretName: { fromCompositeFieldPath: "spec.parameters.secret" } }),
    cluster: [database()],
  }),
});

const copies = rowsOf(
  "sharing",
  {
    "copies, in steady state": (n) => copied(n, allowing("*")),
    "copies, their source gone": (n) => copied(n, undefined),
    "copies, their grant taken back": (n) => copied(n, allowing("none")),
    "copies that are kept, and fields of their shared resource, which names no Secret any more": (n) =>
      kept(copied(n, database({ annotations: { [ALLOWED]: "*" }, spec: textMap(60 * n) }))),
    "copies that are kept, and commas in their grant": (n) => kept(copied(n, allowing(`*${",".repeat(100 * n)}`))),
    "copies that are kept, and as many ReferenceGrants": (n) =>
      kept(
        copied(n, database(), { grant: "ReferenceGrant" }),
        list(n, (index) => referenceGrant(index, [FROM], [{ group: "", kind: "Secret", name: "orders-conn" }])),
      ),
    "copies of one Secret, which only observe, their grant taken back": limited,
    "copies in one namespace, and commas in what it accepts": (n) =>
      inOneNamespace(copied(n, allowing("*")), `*${",".repeat(100 * n)}`),
  },
  COPIES_BYTES,
);

const found = rowsOf("sharing", {
  "name in the XR": (n) => ({ xr: withParameters({ database: "a".repeat(n) }), spec: shares({}) }),
  "labels of the XR": (n) => ({
    xr: xr({ metadata: { name: "shop", labels: textMap(n, "label") } }),
    spec: shares({ select: { matchLabels: { team: { fromCompositeFieldPath: "metadata.labels[label-0]" } } } }),
  }),
  "resources that match, one wanted": (n) => ({
    xr: xr(),
    spec: shares({ select: byLabels }),
    cluster: list(n, (index) => labelled(`db-${index}`)),
  }),
  "resources that match, sorted": (n) => ({
    xr: xr(),
    spec: shares({ select: { ...byLabels, sortByFieldPath: "status.endpoint" } }),
    cluster: list(n, (index) => labelled(`db-${index}`, { status: { endpoint: `db-${(index * 7919) % n}` } })),
  }),
  "resources that match, all into the environment": (n) => ({
    xr: xr(),
    spec: withoutConnection({
      select: { ...byLabels, maxMatch: 1_000_000 },
      toEnvironment: { fromFieldPath: "data" },
    }),
    cluster: list(n, (index) => labelled(`db-${index}`, { spec: {}, status: {}, data: { [`key-${index}`]: "text" } })),
  }),
  "a map that goes into the environment": (n) => ({
    xr: xr(),
    spec: withoutConnection({ toEnvironment: { fromFieldPath: "data" } }),
    context: { "apiextensions.crossplane.io/environment": textMap(n, "earlier") },
    cluster: [database({ data: textMap(n) })],
  }),
  ReferenceGrants: (n) => granted(list(n, (index) => referenceGrant(index, [FROM], [{ kind: "ConfigMap" }]))),
  "from and to of a ReferenceGrant": (n) =>
    granted([
      referenceGrant(
        0,
        list(n, (index) => ({ ...FROM, namespace: nameOf(index) })),
        list(n, (index) => ({ group: "", kind: "Secret", name: nameOf(index) })),
      ),
    ]),
  "ReferenceGrants, as many namespaces": (n) => {
    const grants = list(n, (index) => referenceGrant(index, [FROM], [{ kind: "ConfigMap" }]));
    const parts = toNamespaces(texts(n), database(), { grant: "ReferenceGrant" });
    return { ...parts, cluster: [...(parts.cluster ?? []), ...grants] };
  },
});

const ROLE_BINDING = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" };

/** Dependents that earlier steps desire and that do not exist yet, and more objects of their kind with the XR's label. */
const depending = (count: number, labels: JsonObject, others: number): OurParts => {
  const metadata = { namespace: "team-a", labels: { "crossplane.io/composite": "shop" } };
  return {
    xr: { ...withParameters({}), metadata: { name: "shop", namespace: "team-a", labels } },
    spec: withoutConnection({ dependents: ["role-*"] }),
    desired: map(count, (index) => [`role-${index}`, ROLE_BINDING]),
    cluster: [
      database(),
      ...list(others, (index) => ({ ...ROLE_BINDING, metadata: { name: nameOf(index), ...metadata } })),
    ],
  };
};

const dependents = rowsOf("sharing", {
  "dependents, and as many objects of their kind with the XR's label": (n) => depending(n, {}, n),
  "dependents, and labels of the XR": (n) => depending(n, textMap(10 * n, "label"), 0),
});

/** A copy whose keys a field of the XR lists. */
const listing = (keys: JsonObject): OurParts => ({
  xr: withParameters({ keys }),
  spec: copying({ keys: { fromCompositeFieldPath: "spec.parameters.keys" } }),
  cluster: [database(), secret()],
});

const RESOURCE = { apiVersion: "data.example.org/v1", kind: "XPostgres", access: "Granted" };

const contents = rowsOf("sharing", {
  "a map that is patched": (n) => patching(textMap(n), { toCompositeFieldPath: "status.found" }),
  "keys of the Secret, via Secret": (n) => carrying("Secret", n),
  "keys of the Secret, via ConnectionSecret": (n) => carrying("ConnectionSecret", n),
  "keys that a field of the XR lists": (n) => listing(map(n, (index) => [`key-${index}`, "password"])),
  "braces in a text that a field of the XR lists": (n) => listing({ key: "{".repeat(n) }),
  "records of one resource after another": (n) => ({
    xr: xr(),
    spec: shares({}),
    observed: {
      [RECORD_NAME]: { data: { db: JSON.stringify(list(n, (index) => ({ ...RESOURCE, name: nameOf(index) }))) } },
    },
    cluster: [database(), secret()],
  }),
});

export const sharingRows: readonly Row[] = [...targets, ...copies, ...found, ...dependents, ...contents];
