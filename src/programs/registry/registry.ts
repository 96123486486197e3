import type { Cluster } from "../../cluster/cluster.ts";
import { discover, type ResourceKind } from "../../cluster/discovery.ts";
import { ClusterError } from "../../cluster/error.ts";
import { fullNameOf, kindsNamed } from "../../cluster/kinds.ts";
import { familyOf } from "../../crossplane/providers/families.ts";
import { FunctionError } from "../../errors.ts";
import type { Holding } from "../../registry/holding.ts";
import { inTurn, listRegistered, lookUp, lookUpManaged } from "../../registry/look-up.ts";
import { type CloudResource, toCloudResources } from "../../registry/ownership.ts";
import { type Question, toNames, withoutM } from "../../registry/question.ts";
import { clusterFlags, clusterOf, EXIT, type Io, invalidFlag, oneOf, parseFlags, runProgram } from "../program.ts";
import { formats, listText, ownersText } from "./format.ts";
import { help } from "./help.ts";

const flags = {
  ...clusterFlags,
  output: { type: "string", short: "o" },
  namespace: { type: "string", short: "n" },
  contended: { type: "boolean" },
  scope: { type: "string", multiple: true },
  "provider-config": { type: "string" },
} as const;

type Flags = ReturnType<typeof parse>["values"];

const parse = (args: readonly string[]) => parseFlags(args, flags);

/** `registry …`. @returns the exit code. */
export const registry = (args: readonly string[], io: Io): Promise<number> =>
  runProgram("registry", io, async () => {
    const { values, positionals } = parse(args);
    const [command, ...rest] = positionals;
    if (values.help || command === "help") {
      io.out(help);
      return EXIT.fine;
    }
    if (command === "list") return listAll(rest, values, io);
    if (command === "who-owns") return whoOwns(rest, values, io);
    const found = command === undefined ? "nothing" : JSON.stringify(command);
    throw new FunctionError("InvalidFlags", `cannot use the command line: expected list or who-owns; found ${found}`);
  });

async function listAll(names: readonly string[], values: Flags, io: Io): Promise<number> {
  const format = oneOf("output", values.output, formats);
  const cluster = clusterOf(values, io);
  const kinds = managedKinds(names, await discover(cluster));
  const progress = progressOf(kinds.length, io);
  const lists = await inTurn(kinds, (kind) => registeredOrNot(cluster, kind, progress.page, progress.done));
  progress.end();

  const resources = toCloudResources(lists.flatMap(({ holdings }) => holdings))
    .filter((resource) => isIn(resource, values.namespace))
    .filter(({ holdings }) => values.contended !== true || holdings.length > 1);
  io.out(listText(resources, format));
  const errors = lists.flatMap(({ error }) => error?.message ?? []);
  for (const message of errors) io.err(`registry: ${message}\n`);
  return errors.length === 0 ? EXIT.fine : EXIT.failed;
}

interface Listed {
  readonly holdings: readonly Holding[];
  readonly error?: ClusterError;
}

/** What can be listed is shown, also where something else cannot. */
async function registeredOrNot(
  cluster: Cluster,
  kind: ResourceKind,
  onPage: (soFar: number) => void,
  onDone: (found: number) => void,
): Promise<Listed> {
  try {
    const holdings = await listRegistered(cluster, kind, onPage);
    onDone(holdings.length);
    return { holdings };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.code === "NotFound") return { holdings: [] }; // its CRD was removed in between
    // What concerns this kind alone; the others may be listed all the same.
    if (error.code === "Forbidden" || error.code === "Refused") return { holdings: [], error };
    throw error;
  }
}

/** One line that is written over, and only for a person who watches. */
function progressOf(kinds: number, { isWatched, err }: Io) {
  let [doneKinds, doneObjects] = [0, 0];
  const show = (more: number): void => {
    if (isWatched) err(`\r\u001b[K${doneKinds} of ${kinds} kinds, ${doneObjects + more} managed resources`);
  };
  return {
    page: show,
    done: (found: number) => {
      doneKinds++;
      doneObjects += found;
      show(0);
    },
    end: () => {
      if (isWatched) err("\r\u001b[K");
    },
  };
}

async function whoOwns(rest: readonly string[], values: Flags, io: Io): Promise<number> {
  const [kindText, name, ...more] = rest.length === 1 ? slashed(rest[0] ?? "") : rest;
  if (kindText === undefined || name === undefined || more.length > 0) {
    throw new FunctionError("InvalidFlags", "cannot use the command line: expected who-owns KIND NAME");
  }
  const format = oneOf("output", values.output, formats);
  const scope = new Map((values.scope ?? []).map(toPair));
  const cluster = clusterOf(values, io);
  const kinds = managedKinds([kindText], await discover(cluster));
  const place = { scope, providerConfig: values["provider-config"] };
  const holdings = await holdingsOf(cluster, kinds, name, place);
  const resources = toCloudResources(holdings).filter((resource) => isIn(resource, values.namespace));
  if (resources.length === 0) {
    io.err(`registry: nobody owns ${kindText} ${JSON.stringify(name)}: no managed resource is registered for it\n`);
    if (format === "json" || format === "yaml") io.out(ownersText([], format));
    return EXIT.found;
  }
  io.out(ownersText(resources, format));
  return EXIT.fine;
}

type Place = Pick<Question, "scope" | "providerConfig">;

/** By its external name, and only if there is none of that name, by the managed resource's. */
async function holdingsOf(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  name: string,
  place: Place,
): Promise<readonly Holding[]> {
  const questions = questionsOf(kinds, name, place);
  const found = (await lookUp(cluster, kinds, questions)).flatMap(({ holdings }) => holdings);
  if (found.length > 0) return found;
  return (await inTurn(kinds, (kind) => lookUpManaged(cluster, kind, name))).flat();
}

/** One for each kind that is meant; the cluster-scoped and the namespaced one of a provider are the same in the cloud. */
function questionsOf(kinds: readonly ResourceKind[], name: string, place: Place): readonly Question[] {
  const questions = kinds.flatMap(({ group, kind }): readonly [string, Question][] => {
    const names = toNames(name, familyOf(withoutM(group), kind)?.name.length ?? 1);
    const question = { group: withoutM(group), kind, ...place };
    return names === undefined ? [] : [[`${question.group}/${kind}`, { ...question, names }]];
  });
  return [...new Map(questions).values()];
}

/** `bucket/orders`, as kubectl takes it. */
function slashed(text: string): readonly string[] {
  const at = text.indexOf("/");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function toPair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw invalidFlag("scope", "FIELD=VALUE, such as region=eu-west-1", text);
  return [text.slice(0, at), text.slice(at + 1)];
}

const isIn = ({ holdings }: CloudResource, namespace: string | undefined): boolean =>
  namespace === undefined || holdings.some((holding) => holding.namespace === namespace);

/** The kinds that are asked for, or all; @throws {FunctionError} naming every one that is not installed. */
function managedKinds(names: readonly string[], kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  const managed = kinds.filter(({ categories, verbs }) => categories.includes("managed") && verbs.includes("list"));
  const found = names.map((name) => ({ name, found: kindsNamed(name, managed) }));
  const missing = found.filter((one) => one.found.length === 0).map(({ name }) => whyNot(name, kinds));
  if (missing.length > 0) throw new FunctionError("InvalidFlags", missing.join("\n"));
  return names.length === 0 ? managed : [...new Set(found.flatMap((one) => one.found))];
}

function whyNot(name: string, kinds: readonly ResourceKind[]): string {
  const [other] = kindsNamed(name, kinds);
  if (other === undefined) return `cannot find the kind ${JSON.stringify(name)}: no such CRD is installed`;
  return `cannot ask for ${fullNameOf(other)}: it is no managed resource (it lacks the category "managed")`;
}
