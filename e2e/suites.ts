import { losingExternalNames } from "./scenarios/external-name.ts";
import { restoring } from "./scenarios/restore.ts";
import type { Suite } from "./scenarios/scenario.ts";
import { shareConnectionSecret } from "./scenarios/share-connection-secret.ts";

/** All that is to be seen on a real control plane, in this order. */
export const suites: readonly Suite[] = [shareConnectionSecret, restoring, losingExternalNames];
