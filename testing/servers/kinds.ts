import { kindOf } from "./api-server.ts";

// Kinds of clusters that several tests have.

const claim = { categories: ["claim"], isNamespaced: true, version: "v1alpha1" };

/** Buckets, and claims for them. */
export const claimKinds = [
  kindOf("s3.aws.upbound.io", "Bucket"),
  ...["XBucket", "XOther"].map((kind) => kindOf("platform.example.org", kind, claim)),
];

/** Databases that are shared, and the records of XRs that use them. */
export const sharingKinds = [
  kindOf("data.example.org", "XPostgres", { categories: ["composite"], plural: "xpostgres" }),
  kindOf("apiextensions.crossplane.io", "EnvironmentConfig", { categories: [] }),
  kindOf("", "ConfigMap", { version: "v1", isNamespaced: true, categories: [] }),
];
