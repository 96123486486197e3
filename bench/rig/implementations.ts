import { binaryOf } from "../../scripts/tools/catalogue.ts";
import { typescript } from "./child.ts";

/** Who is measured. `lean` is the same program, with jobs that leave the SDK's helpers aside. */
export const implementations = ["ours", "proto-loader", "sdk", "go", "go lean"] as const;

export type Implementation = (typeof implementations)[number];

export const titles: Readonly<Record<Implementation, string>> = {
  ours: "ours",
  "proto-loader": "@grpc/proto-loader",
  sdk: "function-sdk-typescript",
  go: "Go, function-sdk-go",
  "go lean": "Go, without its helpers",
};

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The process that does an implementation's jobs on bytes. */
export const codecProgram = (name: Implementation | "limits"): Program =>
  name.startsWith("go")
    ? { command: binaryOf("bench-go-codec"), args: [] }
    : { command: process.execPath, args: [...typescript("children/codec.ts"), name] };

/** The process that serves one job of an implementation; "constant" and "floor" answer without looking at the request. */
export const serverProgram = (name: Implementation | "constant" | "floor", job: string, address: string): Program =>
  name === "go"
    ? { command: binaryOf("bench-go-function"), args: ["-address", address, "-job", job] }
    : { command: process.execPath, args: [...typescript("children/server.ts"), name, job, address] };
