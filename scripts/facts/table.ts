import { type KindIdentity, serviceOf } from "./identity.ts";

/** The facts about one kind. */
export interface Fact {
  readonly group: string;
  readonly kind: string;
  /** The field that holds the tags, as `findTagField` writes it; undefined for none. */
  readonly tags: string | undefined;
  readonly identity: KindIdentity;
}

const MARKS: Readonly<Record<KindIdentity["from"], string>> = {
  metadata: "",
  provider: "~",
  parameters: "=",
  unknown: "?",
};

/** Writes one entry, as src/crossplane/providers/table.ts reads it. */
function toEntry({ kind, tags, identity: { from, isId, fields } }: Fact, usual: string): string {
  const name = `${isId ? "*" : ""}${from === "provider" && isId ? "" : MARKS[from]}`;
  const identity = fields.length > 0 ? `(${fields.join(",")})` : "";
  const tagged = tags === usual ? "" : `#${tags}`;
  return `${kind}${name}${identity}${tags === undefined ? "-" : tagged}`;
}

/** Writes the facts of a family, a paragraph for each service. */
export function toTable(facts: readonly Fact[], domain: string, usual: string): string {
  const services = new Map<string, string[]>();
  for (const fact of facts.toSorted((a, b) => (`${a.group}/${a.kind}` < `${b.group}/${b.kind}` ? -1 : 1))) {
    const service = serviceOf(fact.group, domain);
    services.set(service, [...(services.get(service) ?? []), toEntry(fact, usual)]);
  }
  return [...services].map(([service, entries]) => wrap(`${service}: ${entries.join(" ")}`)).join("\n");
}

/** Breaks a line between words before it is too long. */
function wrap(line: string): string {
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 119) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}
