import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

/** The images' parts. The Dockerfile says the same, and a test compares them. */

export const NAME = manifest.name;
export const VERSION = `v${manifest.version}`;
export const LICENSE = manifest.license;

/** Debian 12 with Node.js and nothing else, no shell. What the tag meant when an image was built is one of its labels. */
export const DISTROLESS = "gcr.io/distroless/nodejs24-debian12:nonroot";

/** Where distroless has Node.js, and where the base made here has it. */
const NODE = "/nodejs/bin/node";
/** The images: the function's, which the package holds, and that of the operators' program. */
export const targets = ["function", "cli"] as const;
export type Target = (typeof targets)[number];
/** The bundle, the protocol and package.json; `src/package.ts` finds the latter two one level above the bundle. */
export const APP = "/function";
export const ENTRYPOINT = [NODE, `${APP}/dist/main.cjs`] as const;
/** Distroless' `nonroot`. Any other serves as well: nothing is written, and all may read. */
export const USER = "65532:65532";
/** The function's gRPC and metrics. */
export const PORTS = ["9443/tcp", "8080/tcp"] as const;

/** As container images call them. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** A path in the checkout. */
export const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
