import { readProviderConfig } from "../crossplane/managed-resource.ts";
import { readAnnotation } from "../crossplane/metadata.ts";
import type { Document } from "../model/document.ts";
import { once } from "../model/once.ts";
import { ACCOUNT } from "./annotations.ts";
import type { DeclaredResource } from "./fields.ts";

export interface KnownAccount {
  /** The account if it is known, else the ProviderConfig; "" if the name of the cloud resource or of a parent tells the account. */
  readonly account: string;
  /** The ProviderConfig, a way into the account: NAME or NAME/NAMESPACE. */
  readonly config: string;
  /**
   * The account that `tags.owner.account` names in this XR's input, or in the input of the XR whose account ours took on; undefined without
   * either.
   */
  readonly inputAccount: string | undefined;
  /** True if the account is known for good: contenders need not be looked for behind other ProviderConfigs. */
  readonly isAccountKnown: boolean;
}

/**
 * Reads the account, from the first of these that has it: the name, the input, the annotation ACCOUNT if the ProviderConfig is still the
 * same, the ProviderConfig.
 *
 * @param isToldByName true if the name is unique in the whole cloud or tells the account.
 */
export function readAccount(
  { desired, observed, namespace, account }: Omit<DeclaredResource, "facts">,
  isToldByName: boolean,
): KnownAccount {
  const config = toConfig(desired, namespace);
  if (isToldByName) return { account: "", config, inputAccount: undefined, isAccountKnown: true };
  const found = account ?? (observed && toConfig(observed) === config ? readAnnotation(observed, ACCOUNT) : undefined);
  return found === undefined
    ? { account: config, config, inputAccount: undefined, isAccountKnown: false }
    : toAccount(config, found);
}

/** Reads an account as `formatAccount` writes it. */
export function toAccount(config: string, text: string): KnownAccount {
  const isConfig = text.startsWith(BY_CONFIG);
  const account = text.slice(isConfig ? BY_CONFIG.length : 0).slice(0, MAX_ACCOUNT);
  return { account, config, inputAccount: isConfig || account === "" ? undefined : account, isAccountKnown: true };
}

/** The prefix of an account that is known only by one of its ProviderConfigs. */
const BY_CONFIG = "ProviderConfig ";

export const formatByConfig = (config: string): string => `${BY_CONFIG}${config}`;

/**
 * Formats the annotation ACCOUNT; undefined if the name tells the account, or before the account is known.
 *
 * @param isSettled true if the ProviderConfig counts as known (`hasSettled` of `Join`).
 */
export function formatAccount(
  { account, inputAccount, isAccountKnown }: KnownAccount,
  isSettled: boolean,
): string | undefined {
  if (account === "" || !(isAccountKnown || isSettled)) return undefined;
  return inputAccount ?? formatByConfig(account);
}

/** The longest account, in UTF-16 units; the rest is cut off, since a team may write the annotation. */
const MAX_ACCOUNT = 1024;

/** Reads the ProviderConfig of each object once. */
const providerConfigOf = once((managed: Document) => readProviderConfig(managed));

export function toConfig(managed: Document, namespace?: string): string {
  const { name, namespace: own } = providerConfigOf(managed);
  return own === undefined ? name : `${name}/${namespace ?? own}`;
}

/**
 * Tells whether two cloud resources are declared by the same ProviderConfig. False if the input names the accounts of both: then the
 * accounts decide.
 */
export const isSameConfig = (a: KnownAccount, b: KnownAccount): boolean =>
  a.config === b.config && (a.inputAccount === undefined || b.inputAccount === undefined);
