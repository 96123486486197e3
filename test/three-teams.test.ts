import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonObject, JsonValue } from "../src/model/json.ts";
import { secretIn } from "../testing/builders/copies.ts";
import { fileOf } from "../testing/rendering/examples.ts";
import { runCommand } from "../testing/tools/run-command.ts";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";

/** Three teams with key names of their own share one Composition. */

const read = (file: string): string => readFileSync(fileOf("share-three-teams", file), "utf8");
const teams = [...read("xr.yaml").split(/^---$/m), ...read("teams.yaml").split(/^---$/m)];

/** The keys of the copy that a team's XR gets: values of texts, and the source's keys that the provider copies. */
async function keysFor(xr: string): Promise<Readonly<Record<string, JsonValue | undefined>>> {
  const file = join(temporaryFolder(), "xr.yaml");
  writeFileSync(file, xr);
  const [composition, functions, required] = ["composition.yaml", "functions.yaml", "required-resources.yaml"].map(
    (name) => fileOf("share-three-teams", name),
  );
  const args = [file, composition ?? "", functions ?? "", `--required-resources=${required}`];
  const { stdout } = await runCommand("render", args);
  const rendered = parseAllDocuments(stdout).map((document): JsonObject => document.toJS());
  const { data = {}, copied = [] } = secretIn(rendered.find(({ kind }) => kind === "Object"));
  const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]);
  return Object.fromEntries([...texts, ...copied.map(([to, from]) => [to.slice("data.".length), from])]);
}

const PGOPTIONS = "-c search_path=orders";

describe("share-three-teams", () => {
  test("each team gets the keys that it lists", async () => {
    expect(await Promise.all(teams.map(keysFor))).toEqual([
      { PGHOST: "data.endpoint", PGUSER: "data.username", PGPASSWORD: "data.password", PGOPTIONS },
      {
        SPRING_DATASOURCE_URL: "jdbc:postgresql://orders-db.eu-central-1.db.example.org/orders?currentSchema=invoices",
        SPRING_DATASOURCE_USERNAME: "data.username",
        SPRING_DATASOURCE_PASSWORD: "data.password",
      },
      { DATABASE_URL: "postgres://orders:not%2Fa%2Fsecret@orders-db.eu-central-1.db.example.org/orders" },
    ]);
  });

  test("takes less than 150 lines of YAML, the Composition and the teams' XRs", () => {
    const lines = ["composition.yaml", "xr.yaml", "teams.yaml"].flatMap((file) => read(file).trimEnd().split("\n"));
    expect(lines.length).toBeLessThan(150);
  });
});
