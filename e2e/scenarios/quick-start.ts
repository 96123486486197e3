import { applyWithoutPackages, type Block, isStep, packages, readPage, runBlock } from "../quick-start.ts";
import type { Rig } from "../rig/rig.ts";
import { onNewestOnly, type Suite } from "./scenario.ts";

/** The quick start as a reader follows it: the page's commands in their order, and the output that it shows. */

const page = readPage();

export const quickStart: Suite = onNewestOnly({
  name: "quick start",
  scenarios: [
    { name: "the team has its Secret", run: teamHasItsSecret },
    { name: "two XRs share one bucket", run: shareABucket },
    { name: "nothing is left after cleaning up", run: cleansUp },
  ],
});

async function teamHasItsSecret(rig: Rig): Promise<string> {
  if (!rig.providerHasIdentity) {
    throw new Error("cannot start provider-kubernetes as a ServiceAccount: it takes root, user namespaces or sudo");
  }
  await applyWithoutPackages(rig);
  const seen = await follow(page, rig, ...[...page.keys()].filter(isStep));
  return `${seen}; the rig stands in for ${packages.join(", ")}`;
}

function shareABucket(rig: Rig): Promise<string> {
  return follow(page, rig, "Two XRs, one bucket");
}

async function cleansUp(rig: Rig): Promise<string> {
  const seen = await follow(page, rig, "Clean up");
  const left = await rig.kubectl.run("get", "objects.kubernetes.m.crossplane.io", "--namespace=checkout", "-o", "name");
  if (left !== "") throw new Error(`still there: ${left}`);
  return seen;
}

/** Runs the sections' blocks. @throws {Error} where a command fails, or prints something else than the page says. */
export async function follow(
  page: ReturnType<typeof readPage>,
  rig: Rig,
  ...headings: readonly string[]
): Promise<string> {
  const blocks = headings.flatMap((heading) => page.get(heading) ?? []);
  if (blocks.length === 0) throw new Error(`cannot find ${headings.join(", ")} in the page`);
  let last = "";
  for (const block of blocks) {
    const printed = await runBlock(block, rig);
    assertEnds(printed, block);
    last = printed.trim().split("\n").at(-1) ?? "";
  }
  return `${blocks.length} blocks of commands; the last line is "${comparable(last)}"`;
}

function assertEnds(printed: string, { commands, output }: Block): void {
  if (comparable(printed).endsWith(comparable(output))) return;
  throw new Error(`${commands}prints\n${printed}and the page says\n${output}`);
}

/** Without columns' widths and resources' ages. */
const comparable = (text: string): string =>
  text
    .replaceAll(/(?<=\s)\d+(?:m\d+)?[sm](?=\s|$)/g, "AGE")
    .replaceAll(/ +/g, " ")
    .replaceAll(/ $/gm, "")
    .trim();
