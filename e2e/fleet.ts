import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeMachine } from "../bench/machine.ts";
import { resultFile } from "../bench/page.ts";
import { type Result, type Row, toTable, transposed } from "../bench/report.ts";
import { medianOf } from "../bench/rig/statistics.ts";
import { obtainTools } from "../scripts/tools/build.ts";
import { callsIn, cpuSeconds, reconcilesIn, type Span } from "./fleet/counts.ts";
import {
  copies,
  createXrs,
  type Fleet,
  grantByLabel,
  grantByName,
  killFunction,
  planFleet,
  rotate,
  type Waited,
  waitFor,
} from "./fleet/fleet.ts";
import { COMPANION, CONSUMER, OWNER } from "./fleet/kinds.ts";
import { programsOf, type Rig, type RigOptions, startRig } from "./rig/rig.ts";
import { sumOf } from "./scenarios/cost.ts";
import { GROUP, pluralOf } from "./scenarios/definitions.ts";
import { rigFor } from "./scenarios/scenario.ts";

const HELP = `npm run fleet -- --size=N [--burst=TOKENS] [--companion] [--write]

Runs N XRs on a real control plane. Three quarters are consumers of one owner, each in a namespace of its own. Measures
creation, grants, a rotation, a killed function, a restart of Crossplane and revocations; fails where a Secret is lost, or
is where it was not granted.
  --size=N        50 by default
  --burst=TOKENS  Crossplane's --circuit-breaker-burst; by default twice the size, with which no circuit opens
  --companion     a companion serves the consumers in place of the owner
  --write         put the figures into bench/results/fleet.json; npm run generate then writes docs/performance.md
`;

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "50" },
    burst: { type: "string" },
    companion: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const DRAWN = "grant by label → Secret, p50, s";
const SERVING = values.companion ? COMPANION : OWNER;
const POLL = "30s";
const KILLED_MS = 10_000;
const STEADY_MS = 30_000;
const [OLD, NEW] = ["first", "second"] as const;
const KB = 1024;

const TITLE = "What does a fleet cost the control plane?";
const CAPTION = `A real Crossplane v2.4, everything on one machine. N consumers of one owner, each in its own namespace; a third as many XRs with tags beside them. Ten are granted and revoked at a time. provider-kubernetes polls every ${POLL}.`;

const options: RigOptions = {
  ...rigFor("v2.4", "Kubernetes"),
  providers: ["provider-kubernetes"],
  crossplaneFlags: [`--circuit-breaker-burst=${values.burst ?? Math.max(100, 2 * Number(values.size))}`],
  poll: POLL,
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (values.help) process.stdout.write(HELP);
else
  await run(Number(values.size)).catch((error: unknown) => {
    say(`FAILED: ${String(error)}`);
    process.exit(1);
  });

async function run(size: number): Promise<void> {
  const problems = await obtainTools(programsOf(options), say);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const rig = await startRig(options);
  say(`${size} XRs on Crossplane ${rig.version} (${rig.directory})`);
  const fleet = planFleet(rig, size, values.companion);
  const crashed = rig.crashed.then((words): never => {
    throw new Error(words);
  });
  const figures = await Promise.race([measure(fleet), crashed]);
  const row: Row = { name: `${fleet.all.length} consumers${values.companion ? ", companion" : ""}`, figures };
  say(toTable(transposed([row])));
  if (values.write) write(row);
  await rig.stop();
  process.exit(0);
}

/** Everything, in an order in which no part disturbs the figures of the next. */
async function measure(fleet: Fleet): Promise<Row["figures"]> {
  const { byName, byLabel, one, rig } = fleet;
  const kept = [...fleet.first, ...one];
  const granted = [...kept, ...byName, ...byLabel];
  const from = Date.now();
  const creation = await cpuOf("while created", () => createXrs(fleet));
  const created = report("created", { "all Ready, s": (Date.now() - from) / 1000, ...(await circuitFigures(rig)) });
  await sleep(STEADY_MS);
  const alone = await waitFor(fleet, one, true, () => grantByLabel(fleet, one, true));
  const labelled = await waitFor(fleet, byLabel, true, () => grantByLabel(fleet, byLabel, true));
  const steady = await cpuOf("when steady", () => sleep(STEADY_MS));
  const named = await waitFor(fleet, byName, true, () => grantByName(fleet, OLD, byName));
  await assertHave(fleet, granted);
  const grants = report("granted", {
    ...grantFigures(fleet, "annotation", named),
    ...grantFigures(fleet, "label", labelled),
    "consumers' reconciles for one alone, label": wokenIn(fleet, alone),
    "load average of the machine meanwhile": loadavg()[1] ?? Number.NaN,
  });
  const calls = report("calls", callFigures(fleet, { from: alone.from, to: Date.now() }));
  const rotated = report("rotated", await rotate(fleet, NEW, byName));
  const before = await copies(rig.kubectl);
  const restarts = report("restarted", { ...(await killed(fleet)), ...(await restarted(fleet)) });
  await assertHave(fleet, granted);
  assertKept([...kept, ...byName], before, await copies(rig.kubectl));
  const revoked = await waitFor(fleet, byName, false, () => grantByName(fleet, NEW, []));
  const unlabelled = await waitFor(fleet, byLabel, false, () => grantByLabel(fleet, byLabel, false));
  await assertHave(fleet, kept);
  return {
    ...{ ...created, ...grants, ...calls, ...rotated, ...restarts },
    "revoked by annotation → gone, max, s": Math.max(...revoked.seconds),
    "revoked by label → gone, max, s": Math.max(...unlabelled.seconds),
    ...{ ...creation, ...steady },
  };
}

function report(what: string, figures: Row["figures"]): Row["figures"] {
  say(`${what}: ${JSON.stringify(figures)}`);
  return figures;
}

/** What has counted against the circuit of the owner so far, and the circuits that were opened. */
async function circuitFigures({ crossplane: { metrics } }: Rig): Promise<Row["figures"]> {
  const countOf = (what: string, kind: string) =>
    sumOf(metrics, `circuit_breaker_${what}_total`, `composite/${pluralOf(kind)}.${GROUP}"`);
  return {
    "events of the owner while created": await countOf("events", OWNER),
    "circuits opened: owner": await countOf("opens", OWNER),
    "circuits opened: consumers": await countOf("opens", CONSUMER),
  };
}

function wokenIn({ rig }: Fleet, span: Span): number {
  return reconcilesIn(rig.crossplane.log, SERVING, span).woken;
}

function grantFigures(fleet: Fleet, by: string, waited: Waited): Row["figures"] {
  return {
    [`grant by ${by} → Secret, p50, s`]: medianOf(waited.seconds),
    [`grant by ${by} → Secret, max, s`]: Math.max(...waited.seconds),
    [`consumers' reconciles for it, ${by}`]: wokenIn(fleet, waited),
  };
}

/** The figures of the last calls, when all consumers were there; an average of the calls per reconcile. */
function callFigures({ rig }: Fleet, span: Span): Row["figures"] {
  const { log } = rig.function.part;
  const [ofOwner, ofConsumer] = [callsIn(log, "ConsumersServed", span), callsIn(log, "SharedResourcesReady", span)];
  const last = (calls: typeof ofOwner, figure: "requestBytes" | "responseBytes" | "milliseconds"): number =>
    (calls.at(-1)?.[figure] ?? Number.NaN) / (figure === "milliseconds" ? 1 : KB);
  return {
    "owner's request, KB": last(ofOwner, "requestBytes"),
    "owner's call, our ms": last(ofOwner, "milliseconds"),
    "owner's calls per reconcile": ofOwner.length / reconcilesIn(rig.crossplane.log, SERVING, span).serving,
    "consumer's request, KB": last(ofConsumer, "requestBytes"),
    "consumer's response, KB": last(ofConsumer, "responseBytes"),
    "consumer's call, our ms": last(ofConsumer, "milliseconds"),
  };
}

/** The cores that all parts of the control plane keep busy meanwhile, and our percentage of that. */
async function cpuOf(when: string, work: () => Promise<unknown>): Promise<Row["figures"]> {
  const [before, start] = [cpuSeconds(), performance.now()];
  await work();
  const [after, seconds] = [cpuSeconds(), (performance.now() - start) / 1000];
  const all = after.all - before.all;
  return {
    [`cores ${when}`]: all / seconds,
    [`our share of them ${when}, %`]: ((after.ours - before.ours) / all) * 100,
  };
}

/** Takes ten grants back while the function is dead. */
async function killed(fleet: Fleet): Promise<Row["figures"]> {
  const seconds = await afterOutage(fleet, false, () =>
    killFunction(fleet, KILLED_MS, () => grantByLabel(fleet, fleet.byLabel, false)),
  );
  return { "function dead for 10 s, then right after, s": seconds };
}

/** Grants ten while Crossplane is dead. */
async function restarted(fleet: Fleet): Promise<Row["figures"]> {
  const { crossplane } = fleet.rig;
  const seconds = await afterOutage(fleet, true, () =>
    crossplane.restart(() => grantByLabel(fleet, fleet.byLabel, true)),
  );
  return { "Crossplane restarted, then right after, s": seconds };
}

/** The seconds from the end of an outage until the change in it has reached all of the ten. */
async function afterOutage(fleet: Fleet, isGranted: boolean, outage: () => Promise<unknown>): Promise<number> {
  const start = Date.now();
  let end = start;
  const { seconds } = await waitFor(fleet, fleet.byLabel, isGranted, async () => {
    await outage();
    end = Date.now();
  });
  return Math.max(...seconds) - (end - start) / 1000;
}

async function assertHave({ rig }: Fleet, namespaces: readonly string[]): Promise<void> {
  const have = [...(await copies(rig.kubectl)).keys()];
  const missing = namespaces.filter((namespace) => !have.includes(namespace));
  const extra = have.filter((namespace) => !namespaces.includes(namespace));
  if (missing.length + extra.length > 0)
    throw new Error(`no Secret in ${missing.join()}; one too many in ${extra.join()}`);
}

type Copies = Awaited<ReturnType<typeof copies>>;

function assertKept(namespaces: readonly string[], before: Copies, after: Copies): void {
  const lost = namespaces.filter((namespace) => before.get(namespace)?.uid !== after.get(namespace)?.uid);
  if (lost.length > 0) throw new Error(`the Secret was lost, or made anew, in ${lost.join()}`);
}

/** Puts a size's figures beside those of the others. */
function write(row: Row): void {
  const file = resultFile("fleet");
  const others = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Result).rows : [];
  const rows = [...others.filter(({ name }) => name !== row.name), row].toSorted(
    (a, b) => Number.parseInt(a.name, 10) - Number.parseInt(b.name, 10),
  );
  const result: Result = {
    title: TITLE,
    caption: CAPTION,
    drawn: DRAWN,
    isTransposed: true,
    ...describeMachine(),
    rows,
  };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}
