import type { Section } from "./rig/report.ts";
import { codec, counts } from "./sections/codec.ts";
import { coldStart } from "./sections/cold-start.ts";
import { cost } from "./sections/cost.ts";
import { features } from "./sections/features.ts";
import { memory } from "./sections/memory.ts";
import { peers } from "./sections/peers.ts";
import { serverLatency, serverLoad, serverTls } from "./sections/server.ts";

/** The sections that `npm run bench` runs, in this order. */
export const sections: Readonly<Record<string, () => Promise<Section>>> = {
  ...Object.fromEntries(counts.map((count) => [`codec-${count}`, () => codec(count)])),
  "server-latency": serverLatency,
  "server-load": serverLoad,
  "server-tls": serverTls,
  "cold-start": coldStart,
  memory,
  features,
  cost: () => cost(),
  peers,
};
