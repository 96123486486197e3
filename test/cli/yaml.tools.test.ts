import { execFileSync } from "node:child_process";

import fc from "fast-check";
import { expect, test } from "vitest";
import { toYamlStream } from "../../cli/yaml.ts";
import { findTool } from "../../scripts/tools/catalogue.ts";
import { anyDocument } from "../../testing/builders/yaml-texts.ts";
import { temporaryFile } from "../../testing/tools/temporary-folder.ts";

const opa = findTool("opa");

/** OPA reads data with sigs.k8s.io/yaml, as kubectl reads manifests. */
function readByGo(yaml: string): unknown {
  const file = temporaryFile("data.yaml", yaml);
  const printed = execFileSync(opa ?? "", ["eval", "--format=raw", `--data=${file}`, "data"], { encoding: "utf8" });
  return JSON.parse(printed);
}

test.skipIf(opa === undefined)("Go's YAML reads what was written, whatever texts a tenant chose", () => {
  const documents = fc.sample(anyDocument, { seed: 20261128, numRuns: 400 });
  expect(readByGo(toYamlStream([{ documents }]))).toEqual({ documents });
});
