/** `npm run demo`: the function at work on two of the examples, through its own `render`. */
import { relative } from "node:path";
import { main } from "../src/render/main.ts";
import { argsOf } from "../testing/rendering/examples.ts";

const scenes = [
  {
    example: "share-database",
    caption: `Team A's claim OrdersApp/orders names the database that the platform team runs. Below: the XR's status has the
database's endpoint, and an Object of provider-kubernetes copies its connection Secret into namespace team-a, under
the names that the application expects. Condition SharedResourcesReady follows as soon as the copy is written.`,
  },
  {
    example: "share-database-not-granted",
    caption: `The same claim, but the database's owner has granted its connection Secret to team-b only. Below: nothing is
copied, and the condition tells team A who has to grant what.`,
  },
] as const;

const io = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
};

for (const { example, caption } of scenes) {
  const args = argsOf(example, { requiredResources: "--required-resources" });
  const shown = args.map((arg) =>
    arg.replace(/^(--[^=]*=)?(\/.*)$/, (_, flag = "", path) => flag + relative(".", path)),
  );
  io.out(`\n# ${example}\n\n${caption}\n\n$ function-shared-infrastructure render ${shown.join(" \\\n    ")}\n\n`);
  process.exitCode = (await main(args, io)) || process.exitCode;
}
