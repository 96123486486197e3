import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { inRepository, VERSION } from "./package/layout.ts";
import { readOrigin } from "./package/origin.ts";
import { releaseNotes } from "./package/release-notes.ts";

/**
 * `npx tsx scripts/release-assets.ts`: writes what a GitHub release has beside the packages into build/release: notes.md, cut from
 * CHANGELOG.md, and prometheus-rule.yaml, whose runbook_urls lead to this repository and version.
 */
const { source } = await readOrigin();
if (source === undefined) throw new Error('cannot tell the repository\'s page: the checkout has no remote "origin"');

const read = (file: string): string => readFileSync(inRepository(file), "utf8");
const folder = inRepository("build/release");
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/notes.md`, releaseNotes({ changelog: read("CHANGELOG.md"), tag: VERSION, source }));
const rules = read("deploy/monitoring/prometheus-rule.yaml")
  .replaceAll("runbook_url: docs/", `runbook_url: ${source}/blob/${VERSION}/docs/`)
  .replace(/^# A runbook_url is a path .*\n/m, "");
writeFileSync(`${folder}/prometheus-rule.yaml`, rules);
