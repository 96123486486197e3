import { build } from "esbuild";
import { expect, test } from "vitest";

const FUNCTION = "src/main.ts";

/** Every file that ends up in the bundle of an entry file. */
async function filesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    mainFields: ["module", "main"],
    outdir: "out",
    metafile: true,
    logLevel: "error",
    define: { "import.meta.url": "url" },
  });
  return Object.keys(metafile.inputs).sort();
}

const AROUND = ["src/cluster/", "src/registry/", "src/programs/", "node_modules/@kubernetes/"];

test("the function's server loads nothing of what is around it", async () => {
  const files = await filesOf(FUNCTION);
  expect(files).toContain("src/server/server.ts");
  expect(files.filter((file) => AROUND.some((room) => file.startsWith(room)))).toEqual([]);
});

test.each(["registry", "preflight", "admission"])("%s loads nothing of gRPC", async (program) => {
  const files = await filesOf(`src/programs/${program}/main.ts`);
  expect(files).toContain("src/registry/look-up.ts");
  expect(files.filter((file) => /^src\/wire\/|@grpc\//.test(file))).toEqual([]);
});
