import { defineCommand } from "../command.ts";

/** Exit codes are those of `crossplane render`. */
export const renderCommand = defineCommand({
  name: "render",
  usage: ["<composite-resource> <composition> <functions> [flags]"],
  description: `Render a composite resource (XR), without Docker and without a cluster. Prints what Crossplane would compose: the status of the XR and the composed resources, as "crossplane render" v2.2 does, with the same arguments, files and flags.

Steps of function-shared-infrastructure run in this process: a Function is that if the last part of its spec.package, before tag and digest, is function-shared-infrastructure. Other functions are called where they listen, if their Function has these annotations:

  render.crossplane.io/runtime: Development
  render.crossplane.io/runtime-development-target: HOST:PORT    (default localhost:9443)`,
  arguments: [
    { name: "<composite-resource>", help: "A YAML file: the composite resource (XR) to render." },
    { name: "<composition>", help: "A YAML file: the Composition to render it with. Must be mode: Pipeline." },
    {
      name: "<functions>",
      help: "A YAML file or directory of YAML files: the Functions of the Composition's pipeline.",
    },
  ],
  flags: [
    {
      name: "context-files",
      value: "KEY=FILE",
      isRepeatable: true,
      help: "A context value for the pipeline, from a JSON or YAML file.",
    },
    {
      name: "context-values",
      value: "KEY=VALUE",
      isRepeatable: true,
      help: "A context value for the pipeline, as JSON or YAML. Takes precedence over --context-files.",
    },
    {
      name: "include-function-results",
      short: "r",
      help: "Also print the results of the functions, as resources of kind: Result.",
    },
    { name: "include-full-xr", short: "x", help: "Also print the XR's own spec and metadata." },
    { name: "include-context", short: "c", help: "Also print the pipeline's context, as a resource of kind: Context." },
    {
      name: "observed-resources",
      short: "o",
      value: "PATH",
      help: "A YAML file or directory: composed resources that exist already.",
    },
    {
      name: "required-resources",
      short: "e",
      value: "PATH",
      help: "A YAML file or directory: the resources among which functions find those that they require.",
    },
    { name: "extra-resources", value: "PATH", help: "The same, by its older name." },
    {
      name: "required-schemas",
      short: "s",
      value: "DIR",
      help:
        "A directory of JSON files: OpenAPI v3 documents in which functions find the schemas that they require (from kubectl get --raw " +
        "/openapi/v3/<group-version>).",
    },
    {
      name: "function-annotations",
      short: "a",
      value: "KEY=VALUE",
      isRepeatable: true,
      help: "An annotation for all Functions; comes before their own.",
    },
    {
      name: "function-credentials",
      value: "PATH",
      help: "A YAML file or directory: Secrets that the pipeline's steps take credentials from.",
    },
    { name: "timeout", value: "DURATION", default: "1m", help: "How long to wait for functions that are called." },
    {
      name: "xrd",
      value: "PATH",
      help: "A YAML file: the CompositeResourceDefinition (XRD) whose defaults the XR gets, and whose status it may set.",
    },
    { name: "verbose", help: "Accepted for compatibility; without effect." },
  ],
  notes: `Exit codes:
  0   Rendered.
  1   The render failed; standard error says why.
  80  The command line is wrong.

Examples:
  # A new XR.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml

  # With the resources that the function will find in the cluster.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml \\
    --required-resources=required-resources.yaml --include-function-results

  # With an environment.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml \\
    --context-values=apiextensions.crossplane.io/environment='{"database": "orders-db"}'`,
  exitCodes: { usage: 80, failed: 1 },
});
