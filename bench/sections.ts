import type { Section } from "./rig/report.ts";
import { codec } from "./sections/codec.ts";

/** What `npm run bench` runs, in this order. */
export const sections: Readonly<Record<string, () => Promise<Section>>> = {
  codec,
};
