import { didYouMean } from "../src/model/did-you-mean.ts";
import { readVersion } from "../src/package.ts";
import { PROGRAM } from "./command.ts";
import { helpHint } from "./command-line.ts";
import { toTable } from "./help.ts";
import type { Run } from "./run.ts";

interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's code, and none of another command. */
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** The program's commands, in the order of its help. */
export const subcommands: readonly Subcommand[] = [
  {
    name: "render",
    summary: "Render a composite resource (XR) without Crossplane, Docker or a cluster.",
    load: () => import("./render/render.ts"),
  },
  {
    name: "registry",
    summary: "Show which cloud resources are owned, by whom, and who else needs them.",
    load: () => import("./registry/registry.ts"),
  },
  {
    name: "preflight",
    summary: "Check manifests for cloud resources that somebody else owns, before they are applied.",
    load: () => import("./preflight/preflight.ts"),
  },
  {
    name: "admission",
    summary: "Serve a webhook that denies objects whose cloud resource somebody else owns.",
    load: () => import("./admission/admission.ts"),
  },
  {
    name: "audit",
    summary: "Find XRs and composed resources that do not match, as after a restore.",
    load: () => import("./audit/audit.ts"),
  },
  {
    name: "migrate",
    summary: "Rewrite the steps of three other functions in a Composition into steps of this one.",
    load: () => import("./migrate/migrate.ts"),
  },
];

const UNKNOWN_COMMAND = 2;

/** Runs the command that the arguments name. */
export const run: Run = async (args, host) => {
  const [word = "", ...rest] = args;
  if (word === "help") return run([...rest, "--help"], host);
  if (args.length === 0 || word.startsWith("-")) {
    host.print(word === "--version" ? `${readVersion()}\n` : programHelp());
    return 0;
  }
  const subcommand = subcommands.find(({ name }) => name === word);
  if (subcommand !== undefined) return (await subcommand.load()).run(rest, host);

  const names = subcommands.map(({ name }) => name);
  host.printError(`${PROGRAM}: error: unknown command ${JSON.stringify(word)}${didYouMean(word, names)}\n`);
  host.printError(helpHint());
  return UNKNOWN_COMMAND;
};

function programHelp(): string {
  const rows = subcommands.map(({ name, summary }) => [`  ${name}`, summary] as const);
  return `Usage: ${PROGRAM} COMMAND [flags]

The commands for operators of function-shared-infrastructure.

${toTable("Commands:", rows)}

Run "${PROGRAM} COMMAND --help" for a command's arguments and flags.
`;
}
