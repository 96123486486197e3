import { didYouMean } from "../model/did-you-mean.ts";
import { PROGRAM } from "./command.ts";
import { helpHint } from "./command-line.ts";
import { toFlagTable, toTable } from "./help.ts";
import type { Run } from "./run.ts";
import { serveCommand } from "./serve/command.ts";

interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's code, and none of another command. */
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** The program's commands, in the order of its help. */
export const subcommands: readonly Subcommand[] = [
  {
    name: "serve",
    summary: "Serve as a Crossplane composition function. The default.",
    load: () => import("./serve/serve.ts"),
  },
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

/** Runs the command that the arguments name; without a command, serves. */
export const run: Run = async (args, host) => {
  const [word = "", ...rest] = args;
  if (word === "help") return run([...rest, "--help"], host);
  const isCommand = word !== "" && !word.startsWith("-");
  if (!isCommand && args.some((arg) => arg === "--help" || arg === "-h")) {
    host.print(programHelp());
    return 0;
  }
  const subcommand = subcommands.find(({ name }) => name === (isCommand ? word : "serve"));
  if (subcommand !== undefined) return (await subcommand.load()).run(isCommand ? rest : args, host);

  const names = subcommands.map(({ name }) => name);
  host.printError(`${PROGRAM}: error: unknown command ${JSON.stringify(word)}${didYouMean(word, names)}\n`);
  host.printError(helpHint());
  return UNKNOWN_COMMAND;
};

function programHelp(): string {
  const rows = subcommands.map(({ name, summary }) => [`  ${name}`, summary] as const);
  return `Usage: ${PROGRAM} [command] [flags]

A Crossplane composition function for infrastructure that several teams share, and the commands around it.

${toTable("Commands:", rows)}

${toFlagTable("Flags of serve, the default:", serveCommand)}

Run "${PROGRAM} COMMAND --help" for a command's arguments and flags.
`;
}
