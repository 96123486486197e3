import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { inRepository, NAME, type Target, VERSION } from "./layout.ts";

/**
 * CommonJS: `import` of a builtin touches each of its exports, and those of node:http load a whole HTTP client. What the
 * sources ask of their place in a file system is answered for the bundle's.
 */
const place = [
  'const bundleUrl = require("node:url").pathToFileURL(__filename).href;',
  // Dependencies look for their .proto files at ../../proto from where they lie: that is our proto/.
  'const bundledDirname = require("node:path").join(__dirname, "dependency");',
].join("\n");

/** What goes into the bundle of a target. */
interface Contents {
  readonly entry: string;
  /** Files that dependencies read at run time. */
  readonly foreignProtos: readonly string[];
  readonly plugins: readonly Plugin[];
}

/** grpc-js loads it for channelz and ORCA only, which the function does not serve. */
const withoutLoader: Plugin = {
  name: "grpc-js without proto-loader",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path, importer }) =>
      importer.includes("/@grpc/grpc-js/") ? { path, external: true } : undefined,
    );
  },
};

/** The Kubernetes client's reader of kubeconfigs without its thousands of generated API classes, which only `makeApiClient` uses. */
const withoutApiClasses: Plugin = {
  name: "the Kubernetes client without its API classes",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({
      path: inRepository("node_modules/@kubernetes/client-node/dist/config.js"),
    }));
    onLoad({ filter: /client-node\/dist\/gen\/index\.js$/ }, () => ({
      contents: "export const createConfiguration = undefined, ServerConfiguration = undefined;",
    }));
  },
};

const contents: Readonly<Record<Target, Contents>> = {
  function: {
    entry: "src/main.ts",
    foreignProtos: ["@grpc/reflection/build/proto/grpc", "grpc-health-check/proto/health"],
    plugins: [withoutLoader],
  },
  cli: { entry: "cli/main.ts", foreignProtos: [], plugins: [withoutApiClasses] },
};

export interface Bundle {
  /** The folders of the packages that are bundled, sorted. */
  readonly packages: readonly string[];
  /** The source files of each bundled file, by its name. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
}

/** Writes what runs into `folder`: the bundled program, proto/, package.json, and the licences of all that is bundled. */
export async function bundle(folder: string, target: Target = "function"): Promise<Bundle> {
  const { entry, foreignProtos, plugins } = contents[target];
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: inRepository("."),
    entryPoints: { main: entry },
    plugins: [...plugins],
    outdir: join(folder, "dist"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    // Half as much to read at each start. Names stay, so that stack traces can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { "import.meta.url": "bundleUrl", __dirname: "bundledDirname" },
    banner: { js: place },
    legalComments: "none",
    metafile: true,
  });
  const inputs = Object.entries(metafile.outputs).map(
    ([file, output]) =>
      [basename(file), Object.keys(output.inputs).filter((input) => output.inputs[input]?.bytesInOutput)] as const,
  );
  const packages = packagesOf(inputs.flatMap(([, files]) => files));
  copyProtos(join(folder, "proto"), foreignProtos);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name: NAME, version: VERSION.slice(1) })}\n`);
  writeFileSync(join(folder, "LICENSES.txt"), licencesOf(packages));
  return { packages, inputs: new Map(inputs) };
}

function copyProtos(folder: string, foreignProtos: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const own of ["v1", "v1beta1", "descriptors.binpb"]) {
    cpSync(inRepository(`proto/${own}`), join(folder, own), { recursive: true });
  }
  for (const foreign of foreignProtos) {
    cpSync(inRepository(`node_modules/${foreign}`), join(folder, foreign.split("/").at(-1) ?? ""), { recursive: true });
  }
}

/** The folders of packages that files of node_modules belong to, nested ones too. */
function packagesOf(files: readonly string[]): readonly string[] {
  const folders = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Most licences want their text to go with the code. */
const licencesOf = (packages: readonly string[]): string =>
  packages.map((folder) => `${titleOf(folder)}\n\n${licenceOf(folder)}`).join(`\n\n${"-".repeat(80)}\n\n`);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

function titleOf(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  return `${name} ${version} (${license ?? "see below"})`;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(inRepository(`${folder}/package.json`), "utf8")) as Manifest;

/** Its own file, or where it has none, that its manifest names a licence is all there is. */
function licenceOf(folder: string): string {
  const path = inRepository(folder);
  const file = existsSync(path) ? readdirSync(path).find((name) => /^licen[cs]e/i.test(name)) : undefined;
  return file === undefined ? "(the package has no licence file)" : readFileSync(join(path, file), "utf8").trim();
}
