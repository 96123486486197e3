import { type AddCommand, flag, toPair, withExamples } from "../command.ts";
import type { RenderOptions } from "./inputs.ts";

export const addRender: AddCommand = (program, choose) =>
  withExamples(program.command("render"), EXAMPLES, EXIT_CODES)
    .summary("Render a composite resource (XR) without Crossplane, Docker or a cluster.")
    .description(DESCRIPTION)
    .argument("<composite-resource>", "A YAML file: the composite resource (XR) to render.")
    .argument("<composition>", "A YAML file: the Composition to render it with. Must be mode: Pipeline.")
    .argument("<functions>", "A YAML file or directory of YAML files: the Functions of the Composition's pipeline.")
    .option("-o, --observed-resources <path>", "A YAML file or directory: composed resources that exist already.")
    .option(
      "-e, --required-resources <path>",
      "A YAML file or directory: the resources among which functions find those that they require.",
    )
    .option(
      "-s, --required-schemas <directory>",
      "A directory of JSON files: OpenAPI v3 documents in which functions find the schemas that they require (from kubectl get --raw " +
        "/openapi/v3/<group-version>).",
    )
    .option(
      "--xrd <file>",
      "A YAML file: the CompositeResourceDefinition (XRD) of the XR, whose schema functions find, too. Shows which fields of the XR's status " +
        "the XRD lacks.",
    )
    .option(
      "--function-credentials <path>",
      "A YAML file or directory: the Secrets that steps get as their credentials.",
    )
    .addOption(
      flag.repeatable(
        "--context-files <key=file>",
        "A context value for the pipeline, from a JSON or YAML file.",
        toPair,
      ),
    )
    .option("-r, --include-function-results", "Also print the results of the functions, as resources of kind: Result.")
    .option("-c, --include-context", "Also print the pipeline's context, as a resource of kind: Context.")
    .addOption(flag.duration("--timeout <duration>", "How long to wait for functions that are called.", "1m"))
    .action((xr: string, composition: string, functions: string, options: RenderOptions) =>
      choose(async (host) => (await import("./render.ts")).render({ xr, composition, functions }, options, host)),
    );

const DESCRIPTION = `Render a composite resource (XR), without Docker and without a cluster. Prints what Crossplane would
compose: the status of the XR and the composed resources, as "crossplane render" v2.2 does, with the
same arguments and files. Required resources are looked up as in a cluster: by namespace, too.

Steps of function-shared-infrastructure run in this process: a Function is that if the last part of
its spec.package, before tag and digest, is function-shared-infrastructure. Other functions are
called where they listen, if their Function has these annotations:

  render.crossplane.io/runtime: Development
  render.crossplane.io/runtime-development-target: HOST:PORT    (default localhost:9443)`;

const EXIT_CODES = [
  "0   Rendered.",
  "1   The render failed; standard error says why.",
  "80  The command line is wrong.",
];

const EXAMPLES = [
  "# A new XR.",
  "shared-infrastructure render xr.yaml composition.yaml functions.yaml",
  "",
  "# With the resources that the function will find in the cluster.",
  "shared-infrastructure render xr.yaml composition.yaml functions.yaml --required-resources=required-resources.yaml -r",
];
