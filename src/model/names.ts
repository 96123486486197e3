/** The API group of our input, and the domain of every annotation, label and context key of ours. */
export const DOMAIN = "shared-infrastructure.fn.crossplane.io";

/** A DNS-1123 label: what Kubernetes takes for a namespace. */
export const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** A DNS-1123 subdomain: what Kubernetes takes for most names, up to MAX_NAME characters. Go's regexp takes it too. */
export const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const MAX_NAME = 253;

export const isName = (text: string): boolean => text.length <= MAX_NAME && DNS_SUBDOMAIN.test(text);

/** The form of a key in a Secret. */
export const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** The form of a label's value in Kubernetes. */
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/;

export const isLabelValue = (text: string): boolean => LABEL_VALUE.test(text);

/**
 * Tells whether a resource of some kind may have that name: not all have DNS names (RBAC's do not), but each name is one segment of
 * a URL's path. Source: apimachinery pkg/api/validation/path.
 */
export const isPathSegment = (text: string): boolean =>
  text.length <= MAX_NAME && text !== "." && text !== ".." && /^[\x21-\x24\x26-\x2e\x30-\x7e]+$/.test(text);
