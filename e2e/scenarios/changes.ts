import { setTimeout as sleep } from "node:timers/promises";
import { isV2, type Version } from "../rig/crossplane.ts";
import { at, conditionOf, encode } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { compositionOf, GROUP, install, type Kind, ours, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { grant, holdsPassword, namespaceOf, putPassword, sourceOf } from "./source.ts";

/** Changes to Compositions and XRs, during which applications go on reading their Secret. */

export const changes: Suite = {
  name: "changes of a share",
  scenarios: [
    { name: "another name or another way to deliver never loses the Secret", run: compositionsChange },
    {
      name: "another source under the same name arrives, and nothing of the one before comes back",
      run: sourceChanges,
    },
  ],
};

const NAMESPACE = "depot-users";
const depot: Kind = { kind: "XDepot", scope: "Legacy", input: {} };
const [first, second] = [sourceOf(depot, "first", "depots"), sourceOf(depot, "second", "depots")] as const;

const sharing = (name: string, via: string, more: object = {}) => ({
  sharedResources: [
    {
      name,
      apiVersion: VERSION,
      kind: depot.kind,
      select: { name: { fromCompositeFieldPath: "spec.parameters.depot" } },
      patches: [{ fromFieldPath: "metadata.name", toCompositeFieldPath: "status.database.depot" }],
      connection: {
        copies: [
          {
            secretName: { fromCompositeFieldPath: "spec.parameters.secret" },
            namespaces: NAMESPACE,
            via,
            ...more,
          },
        ],
      },
    },
  ],
});

interface Change {
  readonly name: string;
  readonly kind: Kind;
  /** The input of the changed Composition. */
  readonly to: object;
  readonly isFor?: (version: Version) => boolean;
}

const WITH_VALUES = { keys: [{ value: "{password}", to: "password" }] };

const from = (kind: string, scope: Kind["scope"] = "Legacy"): Kind => ({
  kind,
  scope,
  input: sharing("depot", "Object"),
});

const kinds: readonly Change[] = [
  { name: "renamed", kind: from("XRenamed"), to: sharing("store", "Object") },
  { name: "object-with-values", kind: from("XWithValues"), to: sharing("depot", "Object", WITH_VALUES), isFor: isV2 },
  { name: "secret", kind: from("XBySecret"), to: sharing("depot", "Secret"), isFor: isV2 },
  { name: "owned-renamed", kind: from("OwnedRenamed", "Namespaced"), to: sharing("store", "Object"), isFor: isV2 },
  { name: "owned-secret", kind: from("BySecret", "Namespaced"), to: sharing("depot", "Secret"), isFor: isV2 },
];

const changesOn = (version: Version): readonly Change[] => kinds.filter(({ isFor }) => isFor?.(version) ?? true);

const PASSWORDS = { first: "depot-s3cret-1", next: "depot-s3cret-2", second: "depot-s3cret-3" };

type Reach = Pick<Rig, "kubectl">;

async function compositionsChange({ kubectl, version }: Rig): Promise<string> {
  const changing = changesOn(version);
  await kubectl.apply(namespaceOf("depots"), namespaceOf(NAMESPACE));
  await install(kubectl, [depot, switcher(version), ...changing.map(({ kind }) => kind)]);
  await putPassword(kubectl, first, PASSWORDS.first);
  await grant(kubectl, first, NAMESPACE);
  for (const { name, kind } of changing) await use({ kubectl }, kind, name, first.name);
  const all = async (password: string) => {
    const held = await Promise.all(changing.map(({ name }) => holdsPassword(kubectl, name, NAMESPACE, password)));
    return held.every(Boolean);
  };
  await until("the copies are there", () => all(PASSWORDS.first), PATIENCE);
  const areOwned = async () =>
    (await ownersOf({ kubectl })) === changing.filter(({ kind }) => isNamespaced(kind)).length;
  await until("Kubernetes is to delete those of namespaced XRs", areOwned, PATIENCE);
  const uids = () => Promise.all(changing.map(async ({ name }) => uidOf({ kubectl }, name)));
  const before = await uids();
  for (const { kind, to } of changing) await kubectl.apply(compositionOf(kind.kind, [ours("share", to)]));
  await sleep(10_000); // until the provider has let go what is not composed any more
  await putPassword(kubectl, first, PASSWORDS.next);
  await until("the next password arrives everywhere", () => all(PASSWORDS.next), PATIENCE);
  const after = await uids();
  const lost = changing.filter((_, index) => before[index] !== after[index]).map(({ name }) => name);
  if (lost.length > 0) throw new Error(`lost and written anew: ${lost.join(", ")}`);
  return `${changing.map(({ name }) => name).join(", ")}: the same Secrets as before`;
}

const isNamespaced = ({ scope }: Kind): boolean => scope === "Namespaced";

/** The number of Objects that own their Secret and leave it to Kubernetes. */
async function ownersOf({ kubectl }: Reach): Promise<number> {
  const objects = await kubectl.list("objects.kubernetes.m.crossplane.io", NAMESPACE).catch(() => []);
  return objects.filter((object) => JSON.stringify(at(object, "spec.managementPolicies")) === WITHOUT_DELETE).length;
}

const WITHOUT_DELETE = '["Observe","Create","Update"]';

const uidOf = async ({ kubectl }: Reach, name: string) =>
  at(await kubectl.get(`secret/${name}`, NAMESPACE), "metadata.uid");

/** Where Crossplane looks the source's Secret up itself, a wrong answer would be written as it is. */
const switcher = (version: Version): Kind => ({
  kind: "XSwitcher",
  scope: "Legacy",
  input: sharing("depot", isV2(version) ? "Secret" : "Object"),
});

const SWITCHED = "switched";

/** Crossplane v2.4 answers what was asked in the last reconcile before it asks again. */
async function sourceChanges({ kubectl, version }: Rig): Promise<string> {
  const kind = switcher(version);
  await putPassword(kubectl, second, PASSWORDS.second);
  await grant(kubectl, second, NAMESPACE);
  await use({ kubectl }, kind, SWITCHED, first.name);
  const isReady = async () =>
    conditionOf(await kubectl.get(`${pluralOf(kind.kind)}.${GROUP}/${SWITCHED}`), "SharedResourcesReady")?.status;
  await until("the first is copied", () => holdsPassword(kubectl, SWITCHED, NAMESPACE, PASSWORDS.next), PATIENCE);
  await until("the XR says so", async () => (await isReady()) === "True", PATIENCE);

  const change = async () => {
    await sleep(2000); // until the watches have begun
    await use({ kubectl }, kind, SWITCHED, second.name);
    await until("the second is copied", () => holdsPassword(kubectl, SWITCHED, NAMESPACE, PASSWORDS.second), PATIENCE);
    await sleep(6000); // several reconciles, in each of which the first could come back
  };
  const changed = change();
  const [shown, held] = await Promise.all([
    kubectl.watch(
      changed,
      `${pluralOf(kind.kind)}.${GROUP}`,
      SWITCHED,
      "-o",
      `jsonpath={.status.database.depot}{"\\n"}`,
    ),
    kubectl.watch(changed, "secret", SWITCHED, "-n", NAMESPACE, "-o", `jsonpath=${STATE}{"\\n"}`),
  ]);
  assertOnce(shown, first.name, second.name);
  assertOnce(held, stateOf(first.secret.name, PASSWORDS.next), stateOf(second.secret.name, PASSWORDS.second));
  return `${shown.length} states of the XR and ${held.length} of the Secret, each of one source`;
}

const STATE = String.raw`{.metadata.annotations.shared-infrastructure\.fn\.crossplane\.io/shared-from} {.data.password}`;

const stateOf = (name: string, password: string): string => `depots/${name} ${encode(password)}`;

/** From the one to the other, and not back. */
function assertOnce(states: readonly string[], before: string, after: string): void {
  const distinct = states.filter((state, index) => state !== states[index - 1]);
  if (distinct.join("\n") === `${before}\n${after}`) return;
  throw new Error(`it was not ${before}, then ${after}, but ${distinct.join(", then ")}`);
}

const use = ({ kubectl }: Reach, kind: Kind, secret: string, source: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: kind.kind,
    metadata: { name: secret, ...(isNamespaced(kind) && { namespace: NAMESPACE }) },
    spec: { parameters: { depot: source, secret } },
  });
