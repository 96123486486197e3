import { setTimeout as sleep } from "node:timers/promises";
import { discover, type ResourceKind } from "../../cluster/discovery.ts";
import { waitBefore } from "../../cluster/retry.ts";
import { FunctionError } from "../../errors.ts";
import { documentOf, stringAt } from "../../model/document.ts";
import { withValueAt } from "../../model/field-path.ts";
import { toNamed } from "../../registry/declarations.ts";
import { readMappings } from "../mappings.ts";
import { clusterFlags, clusterOf, durationOf, EXIT, type Io, oneOf, parseFlags, runProgram } from "../program.ts";
import { readText } from "../read.ts";
import { type Findings, findConflicts, wishesOf } from "./conflicts.ts";
import { help } from "./help.ts";
import { filesOf, type Manifest, parseManifests } from "./manifests.ts";
import { outputs, toReport, toSummary } from "./report.ts";

const flags = {
  ...clusterFlags,
  mapping: { type: "string", short: "m", multiple: true },
  namespace: { type: "string", short: "n" },
  output: { type: "string", short: "o" },
  wait: { type: "string" },
  "allow-contenders": { type: "boolean" },
} as const;

/** `preflight …`. @returns the exit code. */
export const preflight = (args: readonly string[], io: Io): Promise<number> =>
  runProgram("preflight", io, async () => {
    const { values, positionals } = parseFlags(args, flags);
    if (values.help) {
      io.out(help);
      return EXIT.fine;
    }
    const output = oneOf("output", values.output, outputs);
    const waitMs = durationOf("wait", values.wait, 0);
    const mappings = readMappings(values.mapping ?? []);
    const read = await readManifests(positionals.length === 0 ? ["-"] : positionals, io);

    const cluster = clusterOf(values, io);
    const kinds = await discover(cluster);
    const manifests = read.map((manifest) => withNamespace(manifest, kinds, values.namespace ?? cluster.namespace));
    const findings = await insist(waitMs, io, () =>
      findConflicts(cluster, kinds, wishesOf(manifests, mappings, kinds), {
        allowContenders: values["allow-contenders"] === true,
      }),
    );
    io.out(toReport(findings, output));
    io.err(toSummary(findings, manifests.length));
    return findings.conflicts.length === 0 ? EXIT.fine : EXIT.found;
  });

/** @throws {FunctionError} `InvalidInput` with everything that is no manifest. */
async function readManifests(paths: readonly string[], io: Io): Promise<readonly Manifest[]> {
  const parsed = [];
  for (const file of filesOf(paths)) {
    parsed.push(parseManifests(file === "-" ? await io.readStdin() : readText(file), file));
  }
  const faults = parsed.flatMap((one) => one.faults);
  if (faults.length === 0) return parsed.flatMap(({ manifests }) => manifests);
  throw new FunctionError("InvalidInput", ["cannot read the manifests:", ...faults].join("\n  "));
}

/** What Helm and ArgoCD leave to the one who applies it. */
function withNamespace(manifest: Manifest, kinds: readonly ResourceKind[], namespace: string): Manifest {
  const named = toNamed(manifest.object);
  const kind = kinds.find((candidate) => candidate.group === named?.group && candidate.kind === named.kind);
  const own = stringAt(documentOf(manifest.object), ["metadata", "namespace"]);
  if (kind?.isNamespaced !== true || own !== undefined) return manifest;
  return { ...manifest, object: withValueAt(manifest.object, ["metadata", "namespace"], namespace) };
}

/** From a second to half a minute: what is handed over takes two reconciles, what is deleted its time. */
const BACKOFF = { firstMs: 1000, maxMs: 30_000 };

/** Asks again while there are conflicts and there is time. */
async function insist(forMs: number, io: Io, ask: () => Promise<Findings>): Promise<Findings> {
  const start = Date.now();
  for (let attempts = 1; ; attempts++) {
    const findings = await ask();
    const wait = waitBefore(attempts, Date.now() - start, undefined, { ...BACKOFF, forMs });
    if (findings.conflicts.length === 0 || wait === undefined) return findings;
    io.err(`conflicts: ${findings.conflicts.length}; again in ${wait / 1000} s\n`);
    await sleep(wait);
  }
}
