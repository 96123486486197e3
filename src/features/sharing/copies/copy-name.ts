import { COPY_PREFIX } from "../../../crossplane/copies.ts";
import type { NamedCopy, Target } from "../judgement.ts";

/** Suffixes of a copy's name by `via`: under one name, a change of `via` would make Crossplane delete the Secret. */
const SUFFIXES: Partial<Record<NamedCopy["via"], string>> = {
  ConnectionSecret: "/connection-secret",
  Secret: "/secret",
};

/** Makes a copy's name in the Composition. A renamed target gets a new name, so Crossplane deletes the old copy. */
export const copyName = (share: string, { namespace, name, copy }: Target): string =>
  `${COPY_PREFIX}${share}/${namespace}/${name}${SUFFIXES[copy.via] ?? ""}`;

const COPY_NAME = /^shared\/[^/]{1,63}\/[^/]{1,63}\/[^/]{1,253}(?:\/[a-z-]{1,20})?$/;

/** Tells whether `copyName` could make the name. A user who can edit the XR's references can choose any. */
export const isCopyName = (name: string): boolean => COPY_NAME.test(name);
