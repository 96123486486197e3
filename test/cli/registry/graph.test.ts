import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { SCRIPT } from "../../../cli/registry/page.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { withMetadata } from "../../../testing/builders/composed.ts";
import { claimRecord, recordIn } from "../../../testing/builders/consumers.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";
import { registered } from "../../../testing/builders/registered.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";
import { openPage } from "../../../testing/rendering/html-page.ts";
import { kindOf, runOn, startApiServer } from "../../../testing/servers/api-server.ts";
import { sharingKinds } from "../../../testing/servers/kinds.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";

const kinds = [...sharingKinds, kindOf("s3.aws.upbound.io", "Bucket")];

const annotations = { [ALLOWED]: "team-a" };
const database = objectOf("data.example.org/v1beta1", "XPostgres", { name: "orders", annotations });

/** Labels and names a record, as the function and Crossplane do. */
function labelled(record: JsonObject, name: string): JsonObject {
  const { labels } = record["metadata"] as Record<string, JsonObject>;
  return withMetadata(record, { name, labels: { ...labels, [`${DOMAIN}/record-of`]: name } });
}

const SHOP = "Shop.apps.example.org/team-a/shop";
const OWNER = "XPostgres.data.example.org/orders";
const [APP, OLD] = ["App.apps.example.org/team-z/app", "App.apps.example.org/team-z/old"];
const GONE = "XPostgres.data.example.org/gone";
const objects = [
  database,
  labelled(claimRecord("team-a", SHOP, { secrets: ["team-a/orders-db"], dependents: ["push"] }), "a"),
  labelled(recordIn("team-z", APP, {}), "z"),
  labelled(recordIn("team-z", OLD, { name: "gone" }), "gone"),
  registered({ bucket: "backups", owner: OWNER }),
  registered({ bucket: "backups", owner: SHOP, role: "Observer", ownedBy: OWNER }),
];

function draw(format: string, all: readonly JsonObject[], ...args: readonly string[]) {
  return runOn({ kinds, objects: all }, "registry", ["graph", `--output=${format}`, ...args]);
}

test("registry graph -o json has who shares what, and what waits for a person", async () => {
  const { exitCode, stdout } = await draw("json", objects);
  const xr = (kind: string, namespace: string, name: string) => {
    return { id: `${kind}/${namespace}/${name}`, type: "xr", kind, name, namespace };
  };
  const shared = { kind: "XPostgres.data.example.org" };
  const cloud = "cloud id-backups-eu-west-1-default";
  const requests = { type: "requests", secrets: [], dependents: [] };
  expect(JSON.parse(stdout)).toEqual({
    nodes: [
      { id: GONE, type: "gone", ...shared, name: "gone", grants: [] },
      xr("App.apps.example.org", "team-z", "old"),
      { id: OWNER, type: "shared", ...shared, name: "orders", grants: ["team-a"] },
      xr("Shop.apps.example.org", "team-a", "shop"),
      xr("App.apps.example.org", "team-z", "app"),
      { id: cloud, type: "cloud", kind: "Bucket.s3.aws.upbound.io", name: "backups" },
    ],
    edges: [
      { from: OLD, to: GONE, ...requests, waits: "it is restored, or the consumer chooses another" },
      { from: SHOP, to: OWNER, type: "uses", secrets: ["orders-db"], dependents: ["push"] },
      { from: APP, to: OWNER, ...requests, waits: "its owner grants access to team-z" },
      { from: OWNER, to: cloud, type: "owns", secrets: [], dependents: [] },
      { from: SHOP, to: cloud, type: "observes", secrets: [], dependents: [] },
    ],
  });
  expect(exitCode).toBe(0);
});

test("registry graph -o matrix has a row for each cloud resource, and a column for each team", async () => {
  expect((await draw("matrix", objects)).stdout.trimEnd().split("\n")).toEqual([
    "KIND                       EXTERNAL NAME   -      team-a",
    "Bucket.s3.aws.upbound.io   backups         owns   observes",
  ]);
});

const ORDERS = ": orders: XPostgres · grants team-a";
test.each([
  {
    namespace: "team-a",
    boxes: [`node shared${ORDERS}`, "node xr: shop: Shop · team-a", "node cloud: backups: Bucket"],
    lines: ["edge uses: uses 1-0", "edge observes: observes 1-2"],
  },
  {
    namespace: "team-z",
    boxes: [
      "node gone waits: gone: XPostgres",
      "node xr waits: old: App · team-z",
      `node shared waits${ORDERS}`,
      "node xr waits: app: App · team-z",
    ],
    lines: ["edge requests waits: requests 1-0", "edge requests waits: requests 3-2"],
  },
])("registry graph -n $namespace draws what is in the namespace, and its direct neighbours", async (row) => {
  const { stdout } = await draw("html", objects, `--namespace=${row.namespace}`);
  const boxes = stdout.matchAll(/class="(node [^"]*)".*<title>(.*)<\/title>/g);
  expect([...boxes].map(([, type, title]) => `${type}: ${title}`)).toEqual(row.boxes);
  const lines = stdout.matchAll(/class="(edge [^"]*)" data-ends="(\d+-\d+)-.*>(.*)<\/text>/g);
  expect([...lines].map(([, type, ends, label]) => `${type}: ${label} ${ends}`)).toEqual(row.lines);
});

test("the page folds a thousand consumers by namespace, and a hundred resources that a team invents into one box", async () => {
  const consumers = Array.from({ length: 1000 }, (_, index) => {
    const namespace = `team-${index % 50}`;
    return labelled(recordIn(namespace, `App.apps.example.org/${namespace}/app-${index}`), `r-${index}`);
  });
  const inventor = (_: unknown, index: number) =>
    labelled(recordIn("team-1", `App.apps.example.org/team-1/x-${index}`, { name: `gone-${index}` }), `x-${index}`);
  const start = process.cpuUsage();
  const { stdout } = await draw("html", [database, ...consumers, ...Array.from({ length: 100 }, inventor)]);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
  expect(stdout.match(/data-node=/g)).toHaveLength(52);
  expect(stdout).toContain(">team-7</text>");
  expect(stdout).toContain(">100 XPostgres</text>");
  expect(stdout.match(/<tr data-ends/g)).toHaveLength(1100);
  expect(stdout).not.toMatch(/https?:|src=|@import|url\(/);
  expect(stdout.length).toBeLessThan(400_000);
});

test("the page folds consumers of more namespaces than fit by what they use", async () => {
  const consumers = Array.from({ length: 200 }, (_, index) => {
    const [namespace, name] = [`team-${index % 100}`, index < 100 ? "orders" : "billing"];
    return labelled(recordIn(namespace, `App.apps.example.org/${namespace}/${name}`, { name }), `r-${index}`);
  });
  const { stdout } = await draw("html", [database, withMetadata(database, { name: "billing" }), ...consumers]);
  const boxes = [...stdout.matchAll(/data-node=.*<title>(.*)<\/title>/g)].map(([, title]) => title);
  const ofTeams = "100 namespaces: 100 App";
  expect(boxes).toEqual(["billing: XPostgres · grants team-a", ofTeams, "orders: XPostgres · grants team-a", ofTeams]);
});

const HOSTILE = `x"];</title><script>alert(1)</script>\u202e`;

test("an external name does not leave its place in the page", async () => {
  const { stdout } = await draw("html", [registered({ bucket: HOSTILE, owner: SHOP })]);
  expect(stdout).toContain("shop");
  expect(stdout).not.toMatch(/<script>alert|\u202e/);
});

test("asks for each shared resource once, and for records once", async () => {
  const { server } = await draw("json", objects);
  expect(server.requests.filter((path) => !/^\/apis?$/.test(path))).toHaveLength(5); // buckets, two kinds of record, two databases
});

test.each([
  { plural: "buckets", verb: "list", shows: "team-z" },
  { plural: "xpostgres", verb: "get", shows: "backups" }, // a team's record may name what only others may read
])("without the verb $verb on $plural it draws the rest, says so, and fails", async ({ plural, verb, shows }) => {
  const { exitCode, stdout, stderr } = await runOn({ kinds, objects, forbidden: [plural] }, "registry", ["graph"]);
  expect([exitCode, stdout.includes(shows)]).toEqual([2, true]);
  expect(stderr).toContain(`cannot ${verb} ${plural}`);
});

test("list --watch prints the table again when it has changed, until a signal", async () => {
  const server = await startApiServer({ kinds, objects: objects.slice(-2, -1) });
  const events = new EventEmitter();
  const onPrint = (stdout: string): void => {
    if (!stdout.includes("logs")) server.objects.push(registered({ bucket: "logs", owner: SHOP }));
    else events.emit("stop", "SIGINT");
  };
  const args = ["list", "--watch", "--kubeconfig", server.kubeconfig];
  const signal = once(events, "stop").then(String);
  const { exitCode, stdout } = await runCommand("registry", args, { signal, onPrint });
  expect([exitCode, stdout.match(/^KIND/gm)?.length, stdout.match(/logs/g)?.length]).toEqual([0, 2, 1]);
});

test("the page's controls leave the rows that fit, and of the picture what they are drawn in", async () => {
  const { stdout } = await draw("html", objects);
  const document = openPage(stdout);
  new Function("document", SCRIPT)(document);
  const shown = (): readonly string[] => {
    const rows = document.querySelectorAll("tbody tr").filter(({ hidden }) => !hidden);
    const [boxes = [], lines] = [".node", ".edge"].map((each) =>
      document.querySelectorAll(each).filter(({ style }) => style.display !== "none"),
    );
    expect(lines).toHaveLength(rows.length);
    return [`${rows.length} rows`, ...boxes.map(({ content }) => String(/<text [^>]*>(.*?)</.exec(content)?.[1]))];
  };
  const act = (id: string, change: { readonly value: string } | { readonly checked: boolean }) => {
    const control = document.getElementById(id) ?? expect.fail(`there is no control ${id}`);
    Object.assign(control, change).dispatchEvent(new Event("input"));
    return shown();
  };
  expect(shown()).toEqual(["5 rows", "gone", "old", "orders", "shop", "app", "backups"]);
  expect(document.getElementById("namespace")?.textContent).toBe("allteam-ateam-z");
  expect(act("namespace", { value: "team-a" })).toEqual(["2 rows", "orders", "shop", "backups"]);
  expect(act("search", { value: "BUCKET shop" })).toEqual(["1 rows", "shop", "backups"]);
  act("namespace", { value: "" });
  act("search", { value: "" });
  expect(act("waiting", { checked: true })).toEqual(["2 rows", "gone", "old", "orders", "app"]);
  act("waiting", { checked: false });
  document.querySelectorAll(".node")[5]?.dispatchEvent(new Event("click"));
  expect(shown()).toEqual(["2 rows", "orders", "shop", "backups"]);
  expect(document.querySelector("svg")?.attributes.get("viewBox")).toBe("-10 -10 120 70");
});
