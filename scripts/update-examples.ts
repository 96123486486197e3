/**
 * `npm run examples:update [-- NAME …]`: renders all examples, or those named, with the real CLIs and stores the output as the
 * expected one. Read the changes before you commit them: tests compare with them from then on.
 */
import { generations, renderWith } from "../testing/rendering/crossplane.ts";
import { examples } from "../testing/rendering/examples.ts";
import { reference, writeExpected } from "../testing/rendering/expectations.ts";
import { serveFunction } from "../testing/servers/function-server.ts";

const server = await serveFunction();
const others = generations.filter((generation) => generation !== reference);
const named = process.argv.slice(2);
for (const example of examples.filter((name) => named.length === 0 || named.includes(name))) {
  for (const generation of [reference, ...others]) {
    writeExpected(example, generation, await renderWith(generation, example, server.targets));
  }
  process.stdout.write(`${example}\n`);
}
await server.stop();
