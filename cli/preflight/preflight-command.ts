import { Option } from "commander";
import { type AddCommand, clusterFlags, flag, withExamples, withFlags } from "../command.ts";
import type { PreflightOptions } from "./preflight.ts";

const flags: readonly Option[] = [
  flag.repeatable("-m, --mapping <file>", "The cloud resources that XRs and claims represent."),
  new Option(
    "-n, --namespace <namespace>",
    "The namespace of objects whose manifest has none. Without it: that of the kubeconfig's context, or the pod's.",
  ),
  flag.choice("-o, --output <format>", "github: annotations of a GitHub workflow.", ["text", "json", "github"]),
  flag.duration(
    "--wait <duration>",
    "Ask again for as long as there are conflicts, with exponential backoff from 1 s to 30 s. For cloud resources that are being " +
      "deleted or handed over.",
    "0s",
  ),
  new Option(
    "--allow-contenders",
    "Report no conflict for a claim or XR that is a contender already, and only observes.",
  ),
  new Option(
    "--allow-empty",
    "Accept a path or standard input without a Kubernetes manifest. By default that is an error, since a renderer that failed prints " +
      "nothing.",
  ),
  ...clusterFlags,
];

export const addPreflight: AddCommand = (program, choose) =>
  withExamples(withFlags(program.command("preflight"), flags), EXAMPLES)
    .summary("Check manifests for cloud resources that somebody else owns, before they are applied.")
    .description(DESCRIPTION)
    .argument(
      "[paths...]",
      "Files, or folders, whose .yaml, .yml and .json files are read at any depth. - or no path is standard input. Documents may be " +
        "Lists, empty, or of any kind; each path has to hold a Kubernetes manifest.",
    )
    .action((paths: readonly string[], options: PreflightOptions) =>
      choose(async (host) =>
        (await import("./preflight.ts")).preflight(paths.length === 0 ? ["-"] : paths, options, host),
      ),
    );

const DESCRIPTION = `Check rendered manifests of XRs, claims and managed resources for cloud resources that somebody else owns, before they are applied. Looks owners up in the cluster, as "registry who-owns" does, and prints a line for each conflict. Only reads; it needs the verb "list" on the managed resources that it asks for.

A mapping says which cloud resources an XR or claim represents: deploy/mapping.schema.json is its schema for editors. Managed resources that name their cloud resource (crossplane.io/external-name) need none; those that only observe are left out.`;

const EXAMPLES = [
  "shared-infrastructure preflight manifests/ --mapping=mapping.yaml",
  "helm template orders ./chart | shared-infrastructure preflight --mapping=mapping.yaml --namespace=team-a",
  "shared-infrastructure preflight rendered.yaml -m mapping.yaml -o github --wait=2m",
];
