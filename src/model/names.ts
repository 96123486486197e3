/** The API group of our input, and the domain of every annotation, label and context key of ours. */
export const DOMAIN = "shared-infrastructure.fn.crossplane.io";

/** A DNS-1123 label: what Kubernetes takes for a namespace. */
export const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** A DNS-1123 subdomain (of up to 253 characters): what Kubernetes takes for most names. */
export const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
