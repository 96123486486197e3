/** What `function-shared-infrastructure render --help` prints. */
export const help = `Usage: function-shared-infrastructure render <composite-resource> <composition> <functions> [flags]

Render a composite resource (XR), without Docker, network or cluster.

Prints what Crossplane would compose: the status of the XR and the composed resources, as "crossplane render" v2.2 does,
with the same arguments, files and output. It runs pipelines whose steps are all function-shared-infrastructure: a
Function is that if the last part of its spec.package, before tag and digest, is function-shared-infrastructure. For other
pipelines run the function with --insecure and use "crossplane render".

Arguments:
  <composite-resource>    A YAML file: the composite resource (XR) to render.
  <composition>           A YAML file: the Composition to render it with. Must be mode: Pipeline.
  <functions>             A YAML file or directory of YAML files: the Functions of the Composition's pipeline.

Flags:
  -h, --help                        Show this help.
      --context-files=KEY=FILE      A context value for the pipeline, from a JSON or YAML file. Can be repeated.
      --context-values=KEY=VALUE    A context value for the pipeline, as JSON or YAML. Can be repeated, and takes
                                    precedence over --context-files.
  -r, --include-function-results    Also print the results of the functions, as resources of kind: Result.
  -x, --include-full-xr             Also print the XR's own spec and metadata.
  -c, --include-context             Also print the pipeline's context, as a resource of kind: Context.
  -o, --observed-resources=PATH     A YAML file or directory: composed resources that exist already.
  -e, --required-resources=PATH     A YAML file or directory: what functions find when they require resources.
      --extra-resources=PATH        The same, by its older name.
  -s, --required-schemas=DIR        A directory of JSON files: OpenAPI v3 documents in which functions find the schemas
                                    they require (from kubectl get --raw /openapi/v3/<group-version>).
      --function-credentials=PATH   A YAML file or directory: Secrets that the pipeline's steps take credentials from.
      --xrd=PATH                    A YAML file: the CompositeResourceDefinition (XRD), whose defaults the XR gets.

Accepted and without effect, as no function has to be reached: -a/--function-annotations, --timeout, --verbose.

Examples:
  # A new XR.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml

  # With what the function will find in the cluster.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml \\
    --required-resources=required-resources.yaml --include-function-results

  # With an environment.
  function-shared-infrastructure render xr.yaml composition.yaml functions.yaml \\
    --context-values=apiextensions.crossplane.io/environment='{"database": "orders-db"}'
`;
