import type { FunctionManifest, Step } from "./composition.ts";
import { RenderError } from "./error.ts";

const OURS = "function-shared-infrastructure";

/**
 * Makes sure that every step of the pipeline is this function. A Function's own name is free, so its package decides:
 * the last part of it, before tag and digest, wherever it is mirrored.
 *
 * @throws {RenderError} naming the step, the Function and what to use instead.
 */
export function assertOurs(steps: readonly Step[], functions: readonly FunctionManifest[]): void {
  for (const { step, functionRef } of steps) {
    const found = functions.find(({ name }) => name === functionRef.name);
    const problem = problemOf(functionRef.name, found);
    if (problem !== undefined) throw new RenderError(`cannot run pipeline step ${JSON.stringify(step)}: ${problem}`);
  }
}

function problemOf(name: string, found: FunctionManifest | undefined): string | undefined {
  const quoted = JSON.stringify(name);
  if (found === undefined) return `unknown Function ${quoted} - does it exist in your Functions file?`;
  if (repositoryOf(found.package) === OURS) return undefined;
  const itsPackage =
    found.package === "" ? "it has no spec.package" : `its package is ${JSON.stringify(found.package)}`;
  return `Function ${quoted} is not ${OURS} (${itsPackage}), and no other can be run here; use "crossplane render"`;
}

/** `registry.example.org:5000/mirror/NAME:v1@sha256:…` → `NAME` */
const repositoryOf = (name: string): string | undefined => /(?:^|\/)([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$/.exec(name)?.[1];
