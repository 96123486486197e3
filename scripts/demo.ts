/** `npm run demo`: renders three of the examples with the function's own `render`, and compares what the team sees. */
import { relative } from "node:path";
import { run } from "../cli/cli.ts";
import { toHost } from "../cli/host.ts";
import { argsOf } from "../testing/rendering/examples.ts";
import { conditionOf, readManifests } from "./generate/demo.ts";

const scenes = [
  {
    example: "share-database",
    caption: `Team A's claim OrdersApp/orders names the database that the platform team runs, and the database's owner has granted
team-a. Below: the XR's status has the database's endpoint, and an Object of provider-kubernetes copies the connection
Secret into namespace team-a, under the names that the application expects.`,
  },
  {
    example: "share-database-copied",
    caption: `The same claim, after provider-kubernetes has written Secret team-a/orders-db. Below: condition
SharedResourcesReady is True, and the XR is ready.`,
  },
  {
    example: "share-database-not-granted",
    caption: `The same claim, but the database's owner has granted its connection Secret to team-b only. Below: nothing is
copied, and the condition tells team A who has to grant what.`,
  },
] as const;

let rendered = "";
const host = toHost(process);
const print = (text: string): void => {
  rendered += text;
  host.print(text);
};

const seen: string[] = [];
for (const { example, caption } of scenes) {
  const args = argsOf(example, { requiredResources: "--required-resources" });
  const shown = args.map((arg) =>
    arg.replace(/^(--[^=]*=)?(\/.*)$/, (_, flag = "", path) => flag + relative(".", path)),
  );
  host.print(`\n# ${example}\n\n${caption}\n\n$ shared-infrastructure render ${shown.join(" \\\n    ")}\n\n`);
  rendered = "";
  const exitCode = await run(["render", ...args], { ...host, print });
  process.exitCode = exitCode || process.exitCode;
  if (exitCode !== 0) continue;
  const { status, reason, message } = conditionOf(readManifests(rendered));
  seen.push(`${example.padEnd(28)}${status.padEnd(7)}${reason.padEnd(18)}${message ?? ""}`.trimEnd());
}

host.print(`\n# What team A sees: condition SharedResourcesReady of its claim\n\n${seen.join("\n")}\n`);
