import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readClassic, readUpjet } from "./facts/read.ts";
import { openSource } from "./facts/source.ts";
import { toModule, toTable } from "./facts/table.ts";

/**
 * `npm run facts -- --aws=DIR --azure=DIR --gcp=DIR --aws-classic=DIR`: writes what the providers' public repositories say about
 * their kinds into src/crossplane/providers/. DIR is a checkout, a bare git directory or the folder of a Go module. Without one of
 * them its table stays as it is.
 */

interface Family {
  readonly constant: string;
  /** The repository's name, for the comment. */
  readonly provider: string;
  readonly domain: string;
  /** The fields that say where any kind is, below spec.forProvider. */
  readonly fields: readonly string[];
  /** The field that most kinds keep their tags in. */
  readonly usual: string;
  readonly read: typeof readUpjet;
}

const families: Readonly<Record<string, Family>> = {
  aws: {
    constant: "AWS",
    provider: "provider-upjet-aws",
    domain: "aws.upbound.io",
    fields: ["region"],
    usual: "tags",
    read: readUpjet,
  },
  azure: {
    constant: "AZURE",
    provider: "provider-upjet-azure",
    domain: "azure.upbound.io",
    fields: [],
    usual: "tags",
    read: readUpjet,
  },
  gcp: {
    constant: "GCP",
    provider: "provider-upjet-gcp",
    domain: "gcp.upbound.io",
    fields: ["project", "region", "location", "zone"],
    usual: "labels",
    read: readUpjet,
  },
  "aws-classic": {
    constant: "AWS_CLASSIC",
    provider: "provider-aws",
    domain: "aws.crossplane.io",
    fields: ["region"],
    usual: "tags[key,value]",
    read: readClassic,
  },
};

const options = Object.fromEntries(Object.keys(families).map((name) => [name, { type: "string" as const }]));
const { values } = parseArgs({ options });

for (const [name, family] of Object.entries(families)) {
  const directory = values[name];
  if (typeof directory !== "string") continue;
  const { constant, provider, domain, usual, fields } = family;
  const source = openSource(directory);
  const facts = family.read(source, { domain, fields });
  const version = `${provider} ${source.version}`;
  const file = `${name}.generated.ts`;
  const text = toModule(constant, version, toTable(facts, domain, usual));
  writeFileSync(new URL(`../src/crossplane/providers/${file}`, import.meta.url), text);
  process.stdout.write(`${file}: ${facts.length} kinds of ${version}\n`);
}
