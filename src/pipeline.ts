import { adoption } from "./capabilities/adoption/adoption.ts";
import type { Call, Capability } from "./capabilities/capability.ts";
import { externalNames } from "./capabilities/external-names/external-names.ts";
import { publishing } from "./capabilities/publish.ts";
import { responseTTL } from "./capabilities/response-ttl.ts";
import { sharing } from "./capabilities/sharing/sharing.ts";
import { tags } from "./capabilities/tags/tags.ts";
import { type Draft, emptyDraft } from "./model/draft.ts";

/** What happens to a request, in this order. Each line takes effect where its section of the input is there. */
const capabilities: readonly Capability[] = [
  sharing, // first: what others share can be used by all that follows
  publishing,
  tags, // needs the final set of desired resources, and leaves out what another XR has
  externalNames, // of all that is desired, whoever desires it
  adoption, // after all that desires resources: it looks for what nobody does
  responseTTL, // last: it must know every requirement, because one that is pending forbids a TTL
];

export const run = (call: Call): Draft =>
  capabilities.reduce((draft, capability) => capability(call, draft), emptyDraft);
