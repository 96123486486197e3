import { adoption } from "./features/adoption/adoption.ts";
import { guardObserving } from "./features/adoption/observe-first.ts";
import { keepIdentities } from "./features/being-deleted.ts";
import { consumers } from "./features/consumers/consumers.ts";
import { externalNames } from "./features/external-names/external-names.ts";
import type { Call, Feature } from "./features/feature.ts";
import { runWithPredecessors } from "./features/predecessors/predecessors.ts";
import { publishing } from "./features/publish.ts";
import { withholdReadiness } from "./features/readiness.ts";
import { recordNames } from "./features/record-names.ts";
import { responseTTL } from "./features/response-ttl.ts";
import { sharing } from "./features/sharing/sharing.ts";
import { tags } from "./features/tags/tags.ts";
import { type Draft, emptyDraft } from "./model/draft.ts";

/** The features, in the order in which they run. Each runs where the input has its section. */
const features: readonly Feature[] = [
  guardObserving, // before every feature: it stops a step that is misplaced in the pipeline
  sharing, // before all features below: they can use shared resources
  publishing,
  consumers, // before external names and tags: credentials are managed resources too
  keepIdentities, // before external names and tags: they judge a resource that is being deleted by its observed identity
  externalNames, // after every feature that desires managed resources; before tags, which judge ownership by the names that it sets
  tags, // needs the final set of desired resources and their names; leaves out those that another XR owns
  withholdReadiness, // after every feature that may hold something back
  recordNames, // needs the final set of desired resources
  adoption, // after every feature that desires resources: it looks for those that are no longer desired
];

const runAll = (call: Call): Draft => features.reduce((draft, feature) => feature(call, draft), emptyDraft);

/**
 * Runs the features. After a restore they observe the resources that the XR composed before, too. The TTL comes last: it
 * depends on requirements and results.
 */
export const run = (call: Call): Draft => responseTTL(call, runWithPredecessors(call, runAll));
