import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../../src/cli/migrate/migrate.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

/** Migrates the text. */
function migrate(text: string, ...flags: readonly string[]) {
  const file = join(temporaryFolder(), "composition.yaml");
  writeFileSync(file, text);
  return runCommand(run, [file, ...flags]);
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
            - key: type
              value: cluster
            minMatch: 1
            maxMatch: 2
            sortByFieldPath: metadata.name
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

describe("what cannot be translated is said", () => {
  test("a field that nobody knows", async () => {
    const { exitCode, stderr } = await migrate(
      composition.replace("maxMatch: 2", "maxMatch: 2\n              colour: red"),
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'step "pull-extra-resources": spec.extraResources[0].selector.colour: not translated\n',
    });
  });

  test("what this function does not accept", async () => {
    const { exitCode, stderr } = await migrate(
      composition.replace("kind: XCluster\n            into", "kind: 1X\n            into"),
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('step "pull-extra-resources": spec.sharedResources[0].kind: not a kind'),
    });
  });
});

test("without a Composition the command line is wrong", async () => {
  expect((await runCommand(run, [])).exitCode).toBe(2);
});

test("a file that is no YAML is an error", async () => {
  expect(await migrate("a: [")).toMatchObject({ exitCode: 2, stdout: "" });
});
