import { adoption } from "./features/adoption/adoption.ts";
import { externalNames } from "./features/external-names/external-names.ts";
import type { Call, Feature } from "./features/feature.ts";
import { publishing } from "./features/publish.ts";
import { responseTTL } from "./features/response-ttl.ts";
import { sharing } from "./features/sharing/sharing.ts";
import { tags } from "./features/tags/tags.ts";
import { type Draft, emptyDraft } from "./model/draft.ts";

/** What happens to a request, in this order. Each line takes effect where its section of the input is there. */
const features: readonly Feature[] = [
  sharing, // first: what others share can be used by all that follows
  publishing,
  tags, // needs the final set of desired resources, and leaves out what another XR has
  externalNames, // of all that is desired, whoever desires it
  adoption, // after all that desires resources: it looks for what nobody does
  responseTTL, // last: it must know every requirement, because one that is pending forbids a TTL
];

export const run = (call: Call): Draft => features.reduce((draft, feature) => feature(call, draft), emptyDraft);
