import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordIn } from "../../testing/builders/consumers.ts";
import { ALLOWED } from "../../testing/builders/sharing.ts";
import { serving } from "../cost/consumers.ts";
import { list } from "../cost/row.ts";
import type { Row } from "../report.ts";
import { lastCall } from "../requests/last-call.ts";
import { outputOf, typescript } from "../rig/child.ts";

/** As many as thirty ConfigMaps of 570 KB hold: shares, with bindings that all name the owner's database. */
const [RECORDS, SHARES, BINDINGS] = [30, 1000, 8];

/** V8's heap in MB, as Node.js takes it from the limit of deploy/function. */
const HEAP = 128;

/** The owner's call, with so many records of a team without a grant. */
function requestWith(records: number): Buffer {
  const binding = { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders" };
  const bindings = JSON.stringify(list(BINDINGS, () => binding));
  const data = Object.fromEntries(list(SHARES, (index) => [`share-${index}`, bindings]));
  const record = { ...recordIn("evil", "Shop.apps.example.org/evil/shop"), data };
  return lastCall(serving({ [ALLOWED]: "team-a" }, { cluster: list(records, (index) => ({ ...record, index })) }));
}

/** Measures the memory and the time that records of a team without a grant take of their owner. */
export async function recordsRow(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "bench-records-"));
  const files = [1, RECORDS].map((records) => {
    const file = join(folder, `${records}.bin`);
    writeFileSync(file, requestWith(records));
    return file;
  });
  try {
    const flags = [`--max-old-space-size=${HEAP}`, ...typescript("children/records.ts")];
    const figures = JSON.parse(await outputOf(process.execPath, [...flags, ...files])) as Row["figures"];
    return {
      name: `${RECORDS} records of 570 KB, of a team without a grant`,
      figures,
      atMost: { MB: 60, ms: 300 },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
