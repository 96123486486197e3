import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

/** Migrates the text. */
function migrate(text: string, ...flags: readonly string[]) {
  const file = join(temporaryFolder(), "composition.yaml");
  writeFileSync(file, text);
  return runCommand("migrate", [file, ...flags]);
}

/** A Composition whose first step calls this Function, with the lines of its input; the next step is not ours. */
const compositionWith = (first: string): string => `# Ours.
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: function-environment-configs
spec:
  mode: Pipeline
  pipeline:
  - step: pull-extra-resources # first
    functionRef:
      name: ${first}
  # The next one is not ours.
  - step: go-templating
    functionRef:
      name: function-go-templating
    input:
      apiVersion: gotemplating.fn.crossplane.io/v1beta1
      kind: GoTemplate
`;

// From the README of function-extra-resources v0.3.0, with comments.
const composition = compositionWith(`function-extra-resources
    input:
      apiVersion: extra-resources.fn.crossplane.io/v1beta1
      kind: Input
      spec:
        extraResources:
          # All clusters.
          - kind: XCluster
            into: XCluster
            apiVersion: example.crossplane.io/v1
            type: Selector
            selector:
              maxMatch: 2
              minMatch: 1
              matchLabels:
                - key: type
                  type: Value
                  value: cluster`);

test("a step is rewritten, and everything else stays with its comments", async () => {
  expect(await migrate(composition)).toEqual({
    exitCode: 0,
    stdout: compositionWith(`function-shared-infrastructure
    input:
      # All clusters.
      apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1
      kind: Input
      spec:
        contextKey: apiextensions.crossplane.io/extra-resources
        sharedResources:
        - name: xcluster
          into: XCluster
          apiVersion: example.crossplane.io/v1
          kind: XCluster
          select:
            matchLabels:
              type: cluster
            minMatch: 1
            maxMatch: 2
            sortByFieldPath: metadata.name
          grant: None
          resolution: Fail`),
    stderr: "",
  });
});

describe("every character outside of the input stays", () => {
  const step = (indent: string, input: string) =>
    [`- step: tags`, `  functionRef: {name: "function-tag-manager"}   # ours soon`, `  input:${input}`, ""]
      .join("\n")
      .replace(/^(?=.)/gm, indent);
  const header = "kind:   Composition\nspec:\n  pipeline:\n";
  const tags = (...lines: readonly string[]) => lines.map((line) => `\n    ${line}`).join("");
  const theirs = tags(
    "apiVersion: tag-manager.fn.crossplane.io/v1beta1",
    "kind: ManagedTags",
    "removeTags: null # none",
  );
  const groups = ["*aws", "*aws.m", "*azure", "*azure.m"].map((cloud) => `apiGroup: "${cloud}.upbound.io"`);
  const ours = (indent: string) =>
    tags(
      "# none",
      "apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1",
      "kind: Input",
      "spec:",
      "  tags:",
      "    resources:",
      ...groups.map((group) => `    ${indent}- ${group}`),
    );
  const rename = (text: string) => text.replaceAll('"function-tag-manager"', "function-shared-infrastructure");
  const rest = "  - step:  other\n    input: {  text:   'a'  }\n\n\n# the end, without a line end";
  const plain = (input: string) => header + step("  ", input);
  const listed = (input: string) => plain(input).replaceAll("\n", "\n  ").trimEnd();
  const bare = (input: string) => input.replace("null # none", "\n    # which?").replace("# none", "# which?");

  /** Each text, with their input or with ours in it. */
  test.each<[what: string, textWith: (input: string) => string, indent?: string]>([
    ["with lists at the column of their key", (input) => plain(input) + rest],
    ["with lists that are indented", (input) => header + step("    ", input), "  "],
    ["with Windows' line ends", (input) => (plain(input) + rest).replaceAll("\n", "\r\n")],
    [
      "in a List, after a template that is no Composition",
      (input) => `kind: A\nname: {{ .Release.Name }}\n---\nkind: List\nitems:\n- ${listed(input)}\n`,
    ],
    ["where another step has the same input by an alias", (input) => plain(` &tags${input}`) + step("  ", " *tags")],
    [
      "where its last field has no value, and a comment of the next step follows",
      (input) => `${plain(bare(input))}\n  # The next one is not ours.\n${rest}`,
    ],
    ["where there is nothing to translate", () => header + rest],
  ])("%s", async (_, textWith, indent = "") => {
    const stdout = rename(textWith(ours(indent)));
    expect(await migrate(textWith(theirs))).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test("in braces", async () => {
    const text = plain(" { apiVersion: tag-manager.fn.crossplane.io/v1beta1, kind: ManagedTags }");
    const resources = groups.map((group) => `{ ${group} }`).join(", ");
    const input = `apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1, kind: Input, spec: { tags: { resources: [ ${resources} ] } }`;
    expect(await migrate(text)).toMatchObject({ stdout: rename(plain(` { ${input} }`)) });
  });
});

test("merge keys are followed", async () => {
  const merged = composition.replace("kind: Input\n", "kind: Input\n      <<: {metadata: {name: a}}\n");
  expect(await migrate(merged)).toEqual(await migrate(composition));
});

const replaced = (before: string, after: string): string => {
  expect(composition).toContain(before);
  return composition.replace(before, after);
};

const remark = (text: string): string => `step "pull-extra-resources": ${text}\n`;

const labels =
  "matchLabels:\n                - key: type\n                  type: Value\n                  value: cluster\n";
const mark = "tag-manager.fn.crossplane.io/ignore-resource";

test.each<[what: string, text: string, stderr: string]>([
  [
    "a step of one of the functions with another input",
    replaced("extra-resources.fn.crossplane.io/v1beta1", "example.org/v1"),
    remark("not translated: function-extra-resources has no input that is known"),
  ],
  [
    "comments that have no place",
    "kind: Composition\nspec: {pipeline: [{step: a, input: {apiVersion: tag-manger.fn.crossplane.io/v1beta1, # why\n  }}]}\n",
    'step "a": the comments between the braces of its input are left out\n',
  ],
  [
    "the mark of a resource that is not to be tagged",
    `${composition}      template: |\n        annotations: {${mark}: 'true'}\n`,
    `${mark}: here the input names such resources in spec.tags.ignore\n`,
  ],
  [
    "a field beside the input's spec",
    replaced("kind: Input\n", "kind: Input\n      resources: [{kind: ConfigMap}]\n"),
    remark("input.resources: not translated"),
  ],
  [
    "a map where there has to be a list",
    replaced(labels, "matchLabels: {type: cluster}\n"),
    remark("spec.extraResources[0].selector.matchLabels: not translated, since it is no list"),
  ],
  [
    "a text where there has to be an object",
    replaced("      spec:\n        extra", "      spec:\n        policy: Optional\n        extra"),
    remark("spec.policy: not translated, since it is no object"),
  ],
  [
    "an unknown field",
    replaced("maxMatch: 2", "maxMatch: 2\n              colour: red"),
    remark("spec.extraResources[0].selector.colour: not translated"),
  ],
  [
    "what this function does not accept",
    replaced("kind: XCluster\n            into", "kind: 1X\n            into"),
    'step "pull-extra-resources": spec.sharedResources[0].kind: not a kind',
  ],
])("what cannot be translated is said: %s", async (_, text, says) => {
  expect(await migrate(text)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(says) });
});

const limits = `${composition.replace("selector:\n", "selector: &limits\n")}      limits: *limits\n`;

test.each([
  ["no YAML", "a: [", "cannot read the Composition: "],
  ["an alias of nothing", "a: *b", "cannot read the Composition: Unresolved alias"],
  ["an input with a part that is used outside of it", limits, "cannot translate an input with an anchor that is used"],
])("%s is an error, and nothing is printed", async (_, text, says) => {
  expect(await migrate(text)).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(says) });
});
