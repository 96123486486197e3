import { binaryOf } from "../../scripts/tools/catalogue.ts";
import type { Job } from "../jobs.ts";
import { typescript } from "./child.ts";

/** The implementations to measure. "ours whole" and "go lean" are the programs of "ours" and "go", with some jobs done in another way. */
export const implementations = ["ours", "ours whole", "proto-loader", "sdk", "go", "go lean"] as const;

export type Implementation = (typeof implementations)[number];

export const titles: Readonly<Record<Implementation | "rust", string>> = {
  ours: "ours",
  "ours whole": "ours, whole objects",
  "proto-loader": "@grpc/proto-loader",
  sdk: "function-sdk-typescript",
  go: "Go, function-sdk-go",
  "go lean": "Go, without its helpers",
  rust: "Rust, tonic and prost",
};

/** The jobs that are also done in another way, and the suffix of that way in the program's list of jobs. */
const variants: Partial<Readonly<Record<Implementation, { readonly suffix: string; readonly jobs: readonly Job[] }>>> =
  {
    "ours whole": { suffix: " whole", jobs: ["touch few"] },
    "go lean": { suffix: " lean", jobs: ["touch few", "look up"] },
  };

/** The name of the job in the implementation's program; undefined where it has no such job. */
export function jobOf(who: Implementation, job: Job): string | undefined {
  const variant = variants[who];
  if (variant === undefined) return job;
  return variant.jobs.includes(job) ? `${job}${variant.suffix}` : undefined;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The function without TLS and metrics, and unless it is said otherwise as its image runs it.
 *
 * @param main what Node.js is started with: its own flags, and the program.
 */
export const functionProgram = (
  address: string,
  flags: readonly string[] = [],
  main: readonly string[] = ["dist/src/main.js"],
): Program => ({
  command: process.execPath,
  args: [...main, "--insecure", `--address=${address}`, "--metrics-address=", ...flags],
});

/** The process that does an implementation's jobs on bytes. */
export const codecProgram = (name: Implementation | "limits"): Program =>
  name.startsWith("go")
    ? { command: binaryOf("bench-go-codec"), args: [] }
    : { command: process.execPath, args: [...typescript("children/codec.ts"), name.replace(" whole", "")] };

/**
 * The process that serves one job of an implementation; "constant" and "floor" answer without looking at the request.
 *
 * @param certs the folder of its certificates; undefined: without TLS. "proto-loader", "rust", "constant" and "floor" have none.
 */
export const serverProgram = (
  name: Implementation | "rust" | "constant" | "floor",
  job: string,
  address: string,
  certs?: string,
): Program => {
  if (name === "go")
    return { command: binaryOf("bench-go-function"), args: ["-address", address, "-job", job, "-certs", certs ?? ""] };
  return name === "rust"
    ? { command: binaryOf("bench-rust"), args: ["-address", address, "-job", job] }
    : {
        command: process.execPath,
        args: [...typescript("children/server.ts"), name, job, address, certs ?? ""],
      };
};
