import { quote } from "../model/condition.ts";
import { didYouMean } from "../model/did-you-mean.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { type JsonObject, objectOf } from "../model/json.ts";
import { DNS_LABEL, DOMAIN } from "../model/names.ts";
import { lazy, once } from "../model/once.ts";
import type { Request } from "../model/request.ts";
import type { Requirements } from "../model/requirement.ts";
import { toGroupKind } from "./api-group.ts";
import type { SecretName } from "./copies.ts";
import { parseLabelSelector } from "./label-selector.ts";
import { readAnnotation } from "./metadata.ts";
import { toRequirement } from "./requirement-names.ts";

/** Annotation of a shared resource: the namespaces with access, separated by commas; `*` for all. */
export const ALLOWED_NAMESPACES = `${DOMAIN}/allowed-namespaces`;

/** Annotation of a shared resource: a label selector; Namespaces that match have access as well. */
export const ALLOWED_NAMESPACE_SELECTOR = `${DOMAIN}/allowed-namespace-selector`;

const toNamespaceSet = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? "").split(",").map((name) => name.trim()));

/** Annotation of a Namespace: the namespaces whose XRs and claims may put copies into it, separated by commas; `*` for all. */
export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

export const readAccepted = once((target: Document) => toNamespaceSet(readAnnotation(target, ACCEPT_COPIES_FROM)));

/** Reads the grant in a shared resource's annotations, which its consumers cannot write. */
export const readNamespaceGrant = once((shared: Document) => {
  const listed = toNamespaceSet(readAnnotation(shared, ALLOWED_NAMESPACES));
  const text = readAnnotation(shared, ALLOWED_NAMESPACE_SELECTOR) ?? "";
  const selector = parseLabelSelector(text);
  return {
    names: new Set([...listed].filter((name) => DNS_LABEL.test(name))),
    isForAll: listed.has(FOR_ALL),
    selector,
    /** Lists the owner's mistakes in the annotations. A mistake grants nothing. */
    faults: lazy((): readonly string[] => {
      const wrong = [...listed].find((name) => name !== "" && name !== FOR_ALL && !DNS_LABEL.test(name));
      const misspelt = findMisspelt(shared);
      return [
        !selector &&
          text.trim() &&
          `${ALLOWED_NAMESPACE_SELECTOR} is not a label selector, and grants nothing: ${quote(text)}`,
        wrong &&
          `${ALLOWED_NAMESPACES} lists ${quote(wrong)}, which is not the name of a namespace, and grants nothing`,
        misspelt && `annotation ${quote(misspelt.name)} grants nothing${misspelt.hint}`,
      ].flatMap((fault) => fault || []);
    }),
  };
});

/** All namespaces, in a grant. An XR with neither a namespace nor copies asks for FOR_ALL, which only a grant to all gives. */
export const FOR_ALL = "*";

type Granted = Readonly<{ names: ReadonlySet<string>; isForAll: boolean }>;

/** Tells whether annotations grant access. Namespaces that match the grant's selector count if the caller has added their names. */
export const isGrantedByAnnotations = ({ names, isForAll }: Granted, namespace: string): boolean =>
  isForAll || names.has(namespace);

const PREFIX = `${DOMAIN}/`;
const GRANTS = [ALLOWED_NAMESPACES, ALLOWED_NAMESPACE_SELECTOR].map((key) => key.slice(PREFIX.length));

/** The most annotations that are compared with the names of grants. This function has some twenty, a team may write thousands. */
const MAX_COMPARED = 50;

function findMisspelt(shared: Document): { readonly name: string; readonly hint: string } | undefined {
  const names = Object.keys(objectOf(shared.at(["metadata", "annotations"]))).flatMap((key) =>
    key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [],
  );
  const compared = names.sort().slice(0, MAX_COMPARED);
  const hinted = compared.flatMap((name) =>
    GRANTS.includes(name) ? [] : { name: PREFIX + name, hint: didYouMean(name, GRANTS) },
  );
  return hinted.find(({ hint }) => hint !== "");
}

/** The grant of a Secret to kinds in other namespaces: https://gateway-api.sigs.k8s.io/api-types/referencegrant. */
export const REFERENCE_GRANT = { group: "gateway.networking.k8s.io", kind: "ReferenceGrant" } as const;

/** The prefix of the requirements for ReferenceGrant's schemas. */
const SCHEMAS = "reference-grant";

/** The versions of ReferenceGrant that a cluster may serve, best first. */
const VERSIONS = ["v1", "v1beta1"].map((version) => {
  return { apiVersion: `${REFERENCE_GRANT.group}/${version}`, kind: REFERENCE_GRANT.kind };
});

/**
 * Asks for all ReferenceGrants in a Secret's namespace, in a version that the cluster serves. Crossplane before v2.2 looks
 * up no schemas: v1beta1 is assumed.
 */
export function askGrants(name: string, { namespace }: SecretName, request: Request, requirements: Requirements) {
  const versions = VERSIONS.map((kind) => toRequirement(name, { ...kind, namespace, match: { labels: {} } }));
  const [assumed] = request.capabilities.has("RequiredSchemas") ? [] : versions.slice(-1);
  return assumed === undefined ? requirements.askServed(SCHEMAS, ...versions) : requirements.ask(assumed);
}

/** Requires the schemas of ReferenceGrant before it is known in which namespace the grants are, to save a call later. */
export function askGrantSchemas({ capabilities }: Request, requirements: Requirements): void {
  if (capabilities.has("RequiredSchemas")) requirements.findServed(SCHEMAS, VERSIONS);
}

/** A kind in a namespace that may use a Secret: an entry of a ReferenceGrant's `from`. */
export interface Grantee {
  readonly namespace: string;
  /** Kind.group of an XR or claim. */
  readonly kind: string;
}

/** Formats a grantee as `namespace/Kind.group`. */
export const formatGrantee = ({ namespace, kind }: Grantee): string => `${namespace}/${kind}`;

export const readGrantees = (grants: readonly Document[], secret: SecretName): readonly Grantee[] =>
  granteesOf(grants, secret).flat(2);

/** Tells whether ReferenceGrants grant access to one of the grantees. @param granted sets from `findGranteeKeys` */
export const isReferenceGranted = (grantees: readonly Grantee[], granted: readonly ReadonlySet<string>[]): boolean =>
  grantees.map(formatGrantee).some((grantee) => granted.some((keys) => keys.has(grantee)));

/** Finds the formatted grantees of a Secret. Cached, since a Secret may have a thousand copies and grants. */
export const findGranteeKeys = (grants: readonly Document[], secret: SecretName): readonly ReadonlySet<string>[] =>
  granteesOf(grants, secret).map(toKeys);

type Grantees = readonly (readonly Grantee[])[];

/** Finds two lists: the grantees of the grants for all Secrets in the namespace, and of the grants for this Secret alone. */
function granteesOf(grants: readonly Document[], { namespace, name }: SecretName): readonly Grantees[] {
  const index = bySecret(grants);
  return [`${namespace}/`, `${namespace}/${name}`].map((key) => index.get(key) ?? NONE);
}

const NONE: Grantees = [];

const toKeys = once((lists: Grantees): ReadonlySet<string> => new Set(lists.flat().map(formatGrantee)));

/**
 * Indexes the grantees of each grant by `namespace/name` of the Secret; `namespace/` for all Secrets of the namespace.
 * The namespace is needed, since `crossplane render` returns grants of other namespaces, too.
 */
const bySecret = once((grants: readonly Document[]) => {
  const index = new Map<string, (readonly Grantee[])[]>();
  for (const grant of grants) {
    const namespace = stringAt(grant, ["metadata", "namespace"]) ?? "";
    const grantees = objectsAt(grant, ["spec", "from"]).flatMap(toGrantee);
    for (const name of new Set(objectsAt(grant, ["spec", "to"]).flatMap(toGrantedName))) {
      const key = `${namespace}/${name}`;
      const lists = index.get(key) ?? [];
      lists.push(grantees);
      index.set(key, lists);
    }
  }
  return index;
});

function toGrantedName({ group = "", kind, name }: JsonObject): readonly string[] {
  if (group !== "" || kind !== "Secret") return [];
  if (name === undefined || name === null) return [""];
  return typeof name === "string" && name !== "" ? [name] : [];
}

function toGrantee({ group, kind, namespace }: JsonObject): readonly Grantee[] {
  if (typeof group !== "string" || typeof kind !== "string" || typeof namespace !== "string") return [];
  return [{ namespace, kind: toGroupKind(kind, group) }];
}
