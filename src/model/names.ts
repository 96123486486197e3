/** The API group of our input, and the prefix of all our annotations, labels and context keys. */
export const DOMAIN = "shared-infrastructure.fn.crossplane.io";

/** A DNS-1123 label, as Kubernetes requires for a namespace. */
export const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** A DNS-1123 subdomain, as Kubernetes requires for most names; `isName` checks the length, too. Also valid for Go's regexp. */
export const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const MAX_NAME = 253;

export const isName = (text: string): boolean => text.length <= MAX_NAME && DNS_SUBDOMAIN.test(text);

/** A key of a Secret or ConfigMap: neither `.` nor a text that begins with `..`. Source: IsConfigMapKey in apimachinery. */
export const SECRET_KEY = /^(?!\.{2}|\.$)[-._a-zA-Z0-9]{1,253}$/;

/** A label's key: a name of up to 63 characters, with an optional DNS prefix and a slash. */
export const LABEL_KEY =
  /^(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

export const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/;

export const isLabelValue = (text: string): boolean => LABEL_VALUE.test(text);

/**
 * Tells whether a resource of some kind may have that name. RBAC's kinds allow more than DNS names, but every name is a
 * segment of a URL's path. Source: apimachinery pkg/api/validation/path.
 */
export const isPathSegment = (text: string): boolean =>
  text.length <= MAX_NAME && text !== "." && text !== ".." && /^[\x21-\x24\x26-\x2e\x30-\x7e]+$/.test(text);
