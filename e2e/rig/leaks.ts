import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "./objects.ts";
import type { Rig } from "./rig.ts";

/**
 * Where plaintext rests by design: Secrets, and the Objects of provider-kubernetes through which it copies them
 * (docs/sharing.md says for which ways to deliver).
 */
const MAY_HOLD = ["secrets", "objects.kubernetes.crossplane.io", "objects.kubernetes.m.crossplane.io"];

/** Part of every password of the scenarios, and of nothing else. */
const MARK = "s3cret";

/** The mark as text, and in base64 after any number of other bytes. */
const wanted = [
  MARK,
  ...[0, 1, 2].map((before) => {
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor(((before + MARK.length) * 8) / 6)];
    return encode("-".repeat(before) + MARK).slice(start, end);
  }),
];

const holdsOne = (text: string): boolean => wanted.some((value) => text.includes(value));

/**
 * Looks for passwords everywhere else: in the logs of all parts, in events, conditions and every object.
 *
 * @returns what was searched. @throws {Error} naming each place.
 */
export async function assertNoLeak({ kubectl, directory }: Rig): Promise<string> {
  const logs = readdirSync(directory).filter((file) => file.endsWith(".log"));
  const kinds = (await kubectl.run("api-resources", "--verbs=list", "-o", "name")).trim().split("\n");
  const searched = kinds.filter((kind) => !MAY_HOLD.includes(kind));
  const lists = await Promise.all(searched.map((kind) => kubectl.list(kind)));
  const objects = lists.flat().map((object) => JSON.stringify(object));

  const leaks = [
    ...logs.filter((file) => holdsOne(readFileSync(join(directory, file), "utf8"))),
    ...objects.filter(holdsOne).map((object) => object.slice(0, 300)),
  ];
  if (leaks.length > 0) throw new Error(`found a secret value in ${leaks.join("; ")}`);
  return `${logs.length} logs, ${objects.length} objects of ${searched.length} kinds`;
}
