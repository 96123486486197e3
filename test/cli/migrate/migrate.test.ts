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

// From the README of function-extra-resources v0.3.0, with comments.
const composition = `# Ours.
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: function-environment-configs
spec:
  mode: Pipeline
  pipeline:
  - step: pull-extra-resources # first
    functionRef:
      name: function-extra-resources
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
                  value: cluster
  # The next one is not ours.
  - step: go-templating
    functionRef:
      name: function-go-templating
    input:
      apiVersion: gotemplating.fn.crossplane.io/v1beta1
      kind: GoTemplate
`;

test("a step is rewritten, and everything else stays with its comments", async () => {
  expect(await migrate(composition)).toEqual({
    exitCode: 0,
    stdout: `# Ours.
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: function-environment-configs
spec:
  mode: Pipeline
  pipeline:
  - step: pull-extra-resources # first
    functionRef:
      name: function-shared-infrastructure
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
          resolution: Fail
  # The next one is not ours.
  - step: go-templating
    functionRef:
      name: function-go-templating
    input:
      apiVersion: gotemplating.fn.crossplane.io/v1beta1
      kind: GoTemplate
`,
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
  const before = tags(
    "apiVersion: tag-manager.fn.crossplane.io/v1beta1",
    "kind: ManagedTags",
    "removeTags: null # none",
  );
  const resources = (seq: string) =>
    ["*aws", "*aws.m", "*azure", "*azure.m"].map((group) => `${seq}- apiGroup: "${group}.upbound.io"`);
  const inputOfOurs = (seq: string) =>
    tags(
      "# none",
      "apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1",
      "kind: Input",
      "spec:",
      "  tags:",
      "    resources:",
      ...resources(`    ${seq}`),
    );
  const rename = (text: string) => text.replace('"function-tag-manager"', "function-shared-infrastructure");
  const rest = "  - step:  other\n    input: {  text:   'a'  }\n\n\n# the end, without a line end";

  test.each<{ what: string; text: string; expected: string }>([
    {
      what: "with lists at the column of their key",
      text: header + step("  ", before) + rest,
      expected: rename(header + step("  ", inputOfOurs("")) + rest),
    },
    {
      what: "with lists that are indented",
      text: header + step("    ", before),
      expected: rename(header + step("    ", inputOfOurs("  "))),
    },
    {
      what: "with Windows' line ends",
      text: (header + step("  ", before) + rest).replaceAll("\n", "\r\n"),
      expected: rename(header + step("  ", inputOfOurs("")) + rest).replaceAll("\n", "\r\n"),
    },
    {
      what: "in braces",
      text: header + step("  ", " { apiVersion: tag-manager.fn.crossplane.io/v1beta1, kind: ManagedTags }"),
      expected: rename(
        header +
          step(
            "  ",
            " { apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1, kind: Input, spec: { tags: { resources: [ " +
              '{ apiGroup: "*aws.upbound.io" }, { apiGroup: "*aws.m.upbound.io" }, { apiGroup: "*azure.upbound.io" }, ' +
              '{ apiGroup: "*azure.m.upbound.io" } ] } } }',
          ),
      ),
    },
    {
      what: "in a List, after a template that is no Composition",
      text: `kind: A\nname: {{ .Release.Name }}\n---\nkind: List\nitems:\n- ${(header + step("  ", before)).replaceAll("\n", "\n  ").trimEnd()}\n`,
      expected: `kind: A\nname: {{ .Release.Name }}\n---\nkind: List\nitems:\n- ${rename(
        header + step("  ", inputOfOurs("")),
      )
        .replaceAll("\n", "\n  ")
        .trimEnd()}\n`,
    },
    {
      what: "where another step has the same input by an alias",
      text: header + step("  ", ` &tags${before}`) + step("  ", " *tags"),
      expected: rename(rename(header + step("  ", ` &tags${inputOfOurs("")}`) + step("  ", " *tags"))),
    },
    {
      what: "where its last field has no value, and a comment of the next step follows",
      text: `${header}${step("  ", before.replace("null # none", "\n    # which?"))}\n  # The next one is not ours.\n${rest}`,
      expected: rename(
        `${header}${step("  ", inputOfOurs("").replace("# none", "# which?"))}\n  # The next one is not ours.\n${rest}`,
      ),
    },
    { what: "where there is nothing to translate", text: header + rest, expected: header + rest },
  ])("$what", async ({ text, expected }) => {
    expect(await migrate(text)).toEqual({ exitCode: 0, stdout: expected, stderr: "" });
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

test.each<{ what: string; text: string; stderr: unknown }>([
  {
    what: "a step of one of the functions with another input",
    text: replaced("extra-resources.fn.crossplane.io/v1beta1", "example.org/v1"),
    stderr: remark("not translated: function-extra-resources has no input that is known"),
  },
  {
    what: "comments that have no place",
    text: "kind: Composition\nspec: {pipeline: [{step: a, input: {apiVersion: tag-manger.fn.crossplane.io/v1beta1, # why\n  }}]}\n",
    stderr: 'step "a": the comments between the braces of its input are left out\n',
  },
  {
    what: "the mark of a resource that is not to be tagged",
    text: `${composition}      template: |\n        annotations: {tag-manager.fn.crossplane.io/ignore-resource: 'true'}\n`,
    stderr: "tag-manager.fn.crossplane.io/ignore-resource: here the input names such resources in spec.tags.ignore\n",
  },
  {
    what: "a field beside the input's spec",
    text: replaced("kind: Input\n", "kind: Input\n      resources: [{kind: ConfigMap}]\n"),
    stderr: remark("input.resources: not translated"),
  },
  {
    what: "a map where there has to be a list",
    text: replaced(
      "matchLabels:\n                - key: type\n                  type: Value\n                  value: cluster\n",
      "matchLabels: {type: cluster}\n",
    ),
    stderr: expect.stringContaining(
      remark("spec.extraResources[0].selector.matchLabels: not translated, since it is no list"),
    ),
  },
  {
    what: "a text where there has to be an object",
    text: replaced("      spec:\n        extra", "      spec:\n        policy: Optional\n        extra"),
    stderr: remark("spec.policy: not translated, since it is no object"),
  },
  {
    what: "an unknown field",
    text: replaced("maxMatch: 2", "maxMatch: 2\n              colour: red"),
    stderr: remark("spec.extraResources[0].selector.colour: not translated"),
  },
  {
    what: "what this function does not accept",
    text: replaced("kind: XCluster\n            into", "kind: 1X\n            into"),
    stderr: expect.stringContaining('step "pull-extra-resources": spec.sharedResources[0].kind: not a kind'),
  },
])("what cannot be translated is said: $what", async ({ text, stderr }) => {
  expect(await migrate(text)).toMatchObject({ exitCode: 1, stderr });
});

test.each<{ what: string; text: string; stderr: string }>([
  { what: "no YAML", text: "a: [", stderr: "cannot read the Composition: " },
  { what: "an alias of nothing", text: "a: *b", stderr: "cannot read the Composition: Unresolved alias" },
  {
    what: "an input with a part that is used outside of it",
    text: `${composition.replace("selector:\n", "selector: &limits\n")}      limits: *limits\n`,
    stderr: "cannot translate an input with an anchor that is used outside of it: Unresolved alias",
  },
])("$what is an error, and nothing is printed", async ({ text, stderr }) => {
  expect(await migrate(text)).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(stderr) });
});
