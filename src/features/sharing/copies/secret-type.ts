import { quote } from "../../../model/condition.ts";
import { parseJson } from "../../../model/json.ts";
import { isLabelValue } from "../../../model/names.ts";
import type { NamedCopy } from "../judgement.ts";
import type { Data } from "../source.ts";

/** The keys that Kubernetes requires by type: at least one of each list. Source: ValidateSecret in pkg/apis/core/validation. */
const REQUIRED: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["kubernetes.io/basic-auth", [["username", "password"]]],
  ["kubernetes.io/dockercfg", [[".dockercfg"]]],
  ["kubernetes.io/dockerconfigjson", [[".dockerconfigjson"]]],
  ["kubernetes.io/ssh-auth", [["ssh-privatekey"]]],
  ["kubernetes.io/tls", [["tls.crt"], ["tls.key"]]],
]);

const SECRET_TYPE = /^[-._/a-zA-Z0-9]{1,253}$/;

/** Types of Secrets into which Kubernetes writes credentials of its own, which an Object's status would show. */
const TOKENS: ReadonlySet<string> = new Set(["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"]);

/** The most characters of all annotations' values: at most 180 kB in UTF-8. Kubernetes' limit for keys and values is 256 KiB. */
const MAX_ANNOTATIONS = 60_000;

/** Finds a fault in a copy's type, labels, annotations or keys, for which Kubernetes would refuse the copy. */
export function findMetadataFault({ type, labels, annotations, keys }: NamedCopy): string | undefined {
  if (!SECRET_TYPE.test(type)) return `${quote(type)} is not a valid Secret type`;
  if (TOKENS.has(type)) return `type ${type} is not for copies: Kubernetes itself fills in such a Secret`;
  const wrong = Object.values(labels).find((value) => !isLabelValue(value));
  if (wrong !== undefined) return `${quote(wrong)} is not a valid label value`;
  if (Object.values(annotations).join("").length > MAX_ANNOTATIONS)
    return `the copy's annotations have more than ${MAX_ANNOTATIONS} characters`;
  return keys && findMissingKey(type, new Set(keys.map(({ to }) => to)));
}

const findMissingKey = (type: string, keys: ReadonlySet<string>): string | undefined => {
  const missing = REQUIRED.get(type)?.find((oneOf) => !oneOf.some((key) => keys.has(key)));
  return missing && `type ${type} requires the key ${missing.join(" or ")}`;
};

/** Finds a fault in the contents that a copy's type requires. Values that the provider fills in are not checked. */
export function findContentsFault({ type, via }: NamedCopy, data: Data): string | undefined {
  const missing = via === "Secret" ? findMissingKey(type, new Set(data.keys())) : undefined;
  const [key = ""] = type.startsWith("kubernetes.io/dockerc") ? (REQUIRED.get(type)?.[0] ?? []) : [];
  const value = data.get(key);
  const isJson = value === undefined || parseJson(Buffer.from(value, "base64").toString()) !== undefined;
  return (
    missing ?? (isJson ? undefined : `${key} is not JSON: in value, write {password|json} to escape the value of a key`)
  );
}
