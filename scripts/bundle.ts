import { bundle } from "./package/bundle.ts";
import { inRepository, targets } from "./package/layout.ts";

/** `npm run bundle`: writes build/function and build/cli, the folders that the Dockerfile and `npm run package` put into the images. */
for (const target of targets) {
  const { packages } = await bundle(inRepository(`build/${target}`), target);
  process.stdout.write(`build/${target}: ${packages.length} packages\n`);
}
