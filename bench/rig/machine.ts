import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import { moduleOf } from "../../scripts/tools/catalogue.ts";
import { peersFolder } from "./peers-folder.ts";

/** Describes the conditions of the figures: the machine, its load, and all versions. */
export function describeMachine() {
  const goMod = readFileSync(`${moduleOf("bench-go-function")}/go.mod`, "utf8");
  const goVersion = (module: string): string => new RegExp(`${module} (v\\S+)`).exec(goMod)?.[1] ?? "unknown";
  const [processor] = cpus();
  return {
    date: new Date().toISOString(),
    processor: `${cpus().length} × ${processor?.model ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
    "load average before": loadavg()
      .map((load) => load.toFixed(1))
      .join(" "),
    "Node.js": process.version,
    Go: execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8" }).trim(),
    "@grpc/grpc-js, ours": versionOf("@grpc/grpc-js", import.meta.url),
    "@grpc/proto-loader, ours": versionOf("@grpc/proto-loader", import.meta.url),
    "function-sdk-typescript": versionOf("@crossplane-org/function-sdk-typescript", peersFolder.href),
    "@grpc/grpc-js, function-sdk-typescript's": versionOf("@grpc/grpc-js", peersFolder.href),
    "function-sdk-go": goVersion("function-sdk-go"),
    "grpc-go": goVersion("google.golang.org/grpc"),
    "protobuf-go": goVersion("google.golang.org/protobuf"),
  };
}

/** The line below a section of the page: the day, the processor, and the versions of Node.js and Go. */
export const conditionsOf = (machine: ReturnType<typeof describeMachine>): string =>
  [machine.date.slice(0, 10), machine.processor, `Node.js ${machine["Node.js"]}`, machine.Go].join(", ");

/** The version of a package in the folder that Node would load it from. */
function versionOf(name: string, from: string): string {
  for (const folder of createRequire(new URL("x.js", from)).resolve.paths(name) ?? []) {
    const text = readText(`${folder}/${name}/package.json`);
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version;
  }
  return "unknown";
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
