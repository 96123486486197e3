/** The API group of our input, and the domain of every annotation, label and context key of ours. */
export const DOMAIN = "shared-infrastructure.fn.crossplane.io";

/** A DNS-1123 label: what Kubernetes takes for a namespace. */
export const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** A DNS-1123 subdomain: what Kubernetes takes for most names, up to MAX_NAME characters. Go's regexp takes it too. */
export const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const MAX_NAME = 253;

export const isName = (text: string): boolean => text.length <= MAX_NAME && DNS_SUBDOMAIN.test(text);
