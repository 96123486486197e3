import { statSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { type Architecture, architectures, DISTROLESS, inRepository } from "./package/layout.ts";
import { makePackages } from "./package/xpkg.ts";
import { obtainTools } from "./tools/build.ts";

/**
 * `npm run package [-- --base=IMAGE|local --arch=amd64,arm64]`: builds the runtime images and the xpkgs into build/package,
 * without a Docker daemon, and prints the name and the size of each.
 */
const { values } = parseArgs({
  options: {
    base: { type: "string", default: DISTROLESS },
    arch: { type: "string", default: architectures.join(",") },
  },
});
const isArchitecture = (name: string): name is Architecture => architectures.some((known) => known === name);
const names = values.arch.split(",");
const unknown = names.filter((name) => !isArchitecture(name));
if (unknown.length > 0) throw new Error(`cannot build for ${unknown.join(", ")}: there is ${architectures.join(", ")}`);

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const problems = await obtainTools(["crane", "crossplane-v2.5"], say);
if (problems.length > 0) throw new Error(problems.join("\n"));

const folder = inRepository("build/package");
say(`base: ${values.base}`);
for (const { image, xpkg } of await makePackages({
  base: values.base,
  architectures: names.filter(isArchitecture),
  folder,
})) {
  for (const file of [image, xpkg]) {
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    say(`${megabytes.padStart(6)} MB  ${relative(process.cwd(), file)}`);
  }
}
