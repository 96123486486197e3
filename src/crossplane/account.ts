import { type Document, objectsAt, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import type { ResourceSelector } from "../model/requirement.ts";
import type { ManagedKind, ProviderConfig } from "./managed-resource.ts";
import type { Cloud } from "./providers/families.ts";

/** Matches an ARN, an Azure ID, or a name or link of Google Cloud, with the account in it. */
const WITH_ACCOUNT = /^arn:[^:]*:[^:]*:[^:]*:\d{12}:|^\/subscriptions\/[^/]+\/|^(?:https:\/\/.*\/)?projects\/[^/]+\//i;

/** Tells whether a cloud resource's name contains its account, so that no cloud resource in another account has the same name. */
export const holdsAccount = (name: string): boolean => WITH_ACCOUNT.test(name);

const IDS = ["arn", "id", "selfLink"].map((field): FieldPath => ["status", "atProvider", field]);

/** The UID of the Kubernetes object that an Object manages: no other cluster has the same. */
const UID: FieldPath = ["status", "atProvider", "manifest", "metadata", "uid"];

/** Reads an ID that no other cloud resource has, whatever its account. Azure's IDs are case-insensitive. */
export function readGlobalId(managed: Document): string | undefined {
  const id = IDS.map((path) => stringAt(managed, path)).find((text) => text !== undefined && holdsAccount(text));
  return (id?.startsWith("/") === true ? id.toLowerCase() : id) ?? stringAt(managed, UID);
}

/** Matches the API groups of providers whose ProviderConfigs name the account. */
const DOMAIN = /(?:^|\.)(?<domain>(?:aws|azure|gcp)\.(?:m\.)?upbound\.io|aws\.crossplane\.io)$/;

/** Selects the ProviderConfig of a managed resource; undefined for a provider whose ProviderConfigs name no account. */
export function selectProviderConfig(
  { apiVersion }: Pick<ManagedKind, "apiVersion">,
  { kind, name, namespace }: ProviderConfig,
): (ResourceSelector & { readonly match: { readonly name: string } }) | undefined {
  const domain = DOMAIN.exec(apiVersion.slice(0, apiVersion.indexOf("/")))?.groups?.["domain"];
  return domain === undefined ? undefined : { apiVersion: `${domain}/v1beta1`, kind, namespace, match: { name } };
}

/** The fields with an AWS role, by precedence. */
const ROLES = [
  "assumeRoleARN",
  "assumeRole.roleARN",
  "credentials.webIdentity.roleARN",
  "credentials.upbound.webIdentity.roleARN",
  "assumeRoleWithWebIdentity.roleARN",
].map((field): FieldPath => ["spec", ...field.split(".")]);

/**
 * Reads the account that a ProviderConfig names; undefined if the account follows from credentials alone.
 * Source: apis/v1beta1/types.go of provider-upjet-aws, provider-upjet-azure, provider-upjet-gcp and provider-aws.
 */
export function readAccountOf(config: Document, cloud: Cloud | undefined): string | undefined {
  if (cloud === "GCP") return stringAt(config, ["spec", "projectID"]);
  if (cloud === "Azure") return stringAt(config, ["spec", "subscriptionID"])?.toLowerCase();
  const lastOfChain = objectsAt(config, ["spec", "assumeRoleChain"]).at(-1)?.["roleARN"];
  const roles = [lastOfChain, ...ROLES.map((path) => stringAt(config, path))];
  const role = roles.find((text) => typeof text === "string" && text !== "");
  return /^arn:[^:]*:iam::(?<account>\d{12}):/.exec(String(role))?.groups?.["account"];
}
