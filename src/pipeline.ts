import { adoption } from "./features/adoption/adoption.ts";
import { consumers } from "./features/consumers/consumers.ts";
import { externalNames } from "./features/external-names/external-names.ts";
import type { Call, Feature } from "./features/feature.ts";
import { publishing } from "./features/publish.ts";
import { responseTTL } from "./features/response-ttl.ts";
import { sharing } from "./features/sharing/sharing.ts";
import { tags } from "./features/tags/tags.ts";
import { type Draft, emptyDraft } from "./model/draft.ts";

/** The features, in the order in which they run. Each takes effect where the input has its section. */
const features: readonly Feature[] = [
  sharing, // first: all that follows can use what others share
  publishing,
  consumers, // before external names and tags: credentials are resources like others
  externalNames, // after every feature that desires managed resources, and before tags: who may write its ledger must not pass by them
  tags, // needs the final set of desired resources and their names, and leaves out what another XR has
  adoption, // after every feature that desires resources: it looks for those that nobody desires
  responseTTL, // last: a requirement that is pending forbids a TTL, whichever feature has asked
];

export const run = (call: Call): Draft => features.reduce((draft, feature) => feature(call, draft), emptyDraft);
