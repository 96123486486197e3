import { hashExternalName } from "../../src/ownership/identity.ts";

/** A cloud resource to look up, by the fields that are known of it. */
export interface ResourceQuery {
  /** Without the `.m` of namespaced managed resources: that says nothing about the cloud. */
  readonly group: string;
  readonly kind: string;
  /** Name parts: the external name, or for an Object [apiVersion, kind, namespace, name], the namespace "" for none. */
  readonly names: readonly string[];
  /** Any, where it is not known. */
  readonly providerConfig?: string | undefined;
  /** Its location by field of spec.forProvider, such as region; a field that is missing matches any value. */
  readonly scope: ReadonlyMap<string, string>;
}

/** The value of the label by which the function makes it findable. */
export const toLabel = ({ group, kind, names }: ResourceQuery): string => hashExternalName(group, kind, names);

/** `v1/ConfigMap/cloud/orders`, or an external name as it is. */
export const toName = (names: readonly string[]): string => names.filter(Boolean).join("/");

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * The opposite of `toName`: the name as it is for what has one, and for an Object apiVersion, kind, namespace and name from
 * `v1/ConfigMap/cloud/orders` or `apps/v1/Deployment/cloud/orders`; undefined where that is none.
 *
 * @param parts how many the kind has.
 */
export function toNames(name: string, parts: number): readonly string[] | undefined {
  if (parts === 1) return [name];
  const steps = name.split("/");
  const version = steps.findIndex((step) => VERSION.test(step));
  const apiVersion = steps.slice(0, version + 1).join("/");
  const [kind, ...rest] = steps.slice(version + 1);
  if (version < 0 || version > 1 || kind === undefined || rest.length < 1 || rest.length > 2) return undefined;
  const [own = "", namespace = ""] = rest.toReversed();
  return [apiVersion, kind, namespace, own];
}
