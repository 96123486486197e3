import { statSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { type Architecture, architectures, DISTROLESS, inRepository } from "./package/layout.ts";
import { makePackages, packageTools } from "./package/xpkg.ts";
import { obtainTools } from "./tools/build.ts";

const USAGE = `Usage: npm run package [-- --base=IMAGE|local --arch=ARCHITECTURE,...]

Build the images, the function's and that of the operators' program, and the packages (xpkg) into build/package, without a
Docker daemon, and print the name and the size of each. The first time, it builds crane and the crossplane CLI with Go.

  --base=IMAGE   The runtime's base image, or "local" for one made here from Node.js and Debian's packages, for tests.
                 Default: ${DISTROLESS}
  --arch=LIST    Default: ${architectures.join(",")}
  -h, --help     Show this text.
`;

interface Chosen {
  readonly base: string;
  readonly architectures: readonly Architecture[];
}

/** @throws {Error} where the command line is wrong. */
function readFlags(): Chosen | "help" {
  const { values } = parseArgs({
    options: {
      base: { type: "string", default: DISTROLESS },
      arch: { type: "string", default: architectures.join(",") },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const isArchitecture = (name: string): name is Architecture => architectures.some((known) => known === name);
  const names = values.arch.split(",");
  const unknown = names.filter((name) => !isArchitecture(name));
  if (unknown.length > 0)
    throw new Error(`cannot build for ${unknown.join(", ")}: there is ${architectures.join(", ")}`);
  return { base: values.base, architectures: names.filter(isArchitecture) };
}

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function build(chosen: Chosen): Promise<void> {
  const problems = await obtainTools(packageTools, say);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  say(`base: ${chosen.base}`);
  for (const { images, xpkg } of await makePackages({ ...chosen, folder: inRepository("build/package") })) {
    for (const file of [images.function, images.cli, xpkg]) {
      const megabytes = (statSync(file).size / 1e6).toFixed(1);
      say(`${megabytes.padStart(6)} MB  ${relative(process.cwd(), file)}`);
    }
  }
}

try {
  const chosen = readFlags();
  if (chosen === "help") process.stdout.write(USAGE);
  else await build(chosen);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
