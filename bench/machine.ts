import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import grpcJs from "../node_modules/@grpc/grpc-js/package.json" with { type: "json" };
import { requiredVersion } from "../scripts/tools/catalogue.ts";
import type { Result } from "./report.ts";
import sdk from "./sdk/package.json" with { type: "json" };

/** Says when and on what figures were measured. */
export function describeMachine(): Pick<Result, "date" | "machine" | "versions"> {
  const required = (module: string): string => requiredVersion("bench-go", module);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 1024 ** 3)} GB`,
    versions: {
      "Node.js": process.version,
      Go: execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8" }).trim(),
      "grpc-js": grpcJs.version,
      "function-sdk-typescript": sdk.dependencies["@crossplane-org/function-sdk-typescript"],
      "function-sdk-go": required("github.com/crossplane/function-sdk-go"),
      "grpc-go": required("google.golang.org/grpc"),
    },
  };
}
