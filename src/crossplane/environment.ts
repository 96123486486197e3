/** The context key where function-environment-configs, and Crossplane before it, leave the environment for later steps. */
export const ENVIRONMENT = "apiextensions.crossplane.io/environment";

/** The type of an environment that function-environment-configs begins. */
export const NEW_ENVIRONMENT = { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment" } as const;
