import { bundle } from "./package/bundle.ts";
import { inRepository } from "./package/layout.ts";

/** `npm run bundle`: writes build/function, the folder that the Dockerfile and `npm run package` put into the image. */
const { packages } = await bundle(inRepository("build/function"));
process.stdout.write(`build/function: ${packages.length} packages, in a file for each command\n`);
