import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Cluster, DEFAULT_RETRY, toClient, toCluster } from "../../cli/cluster/cluster.ts";
import { connect } from "../../cli/cluster/connection.ts";
import { findKindsByName, type ResourceKind, toApiVersion } from "../../cli/cluster/discovery.ts";
import { getIfThere, list } from "../../cli/cluster/list.ts";
import { findTool, type ToolName } from "../../scripts/tools/catalogue.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { until } from "./process.ts";

const run = promisify(execFile);

/** Without validation by kubectl, which reads the OpenAPI of all kinds first: with hundreds of them that takes up to a minute. */
const APPLY = ["apply", "--server-side", "--force-conflicts", "--validate=false"] as const;

/** @throws {Error} naming how to get it. */
export function pathOf(name: ToolName): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`cannot find ${name}: run "npm run tools -- ${name}"`);
  return path;
}

/**
 * The API server of the rig: through kubectl of the same build, and for reading through our programs' own client. Scenarios poll five
 * times a second, two dozen at a time, and that many processes of kubectl were most of what a run computed.
 */
export class Kubectl {
  readonly #kubeconfig: string;
  #cluster: Cluster;

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
    const client = toClient(connect({ kubeconfig, env: {} }), { retry: { ...DEFAULT_RETRY, forMs: 0 } });
    this.#cluster = { ...client, kinds: [] };
  }

  /** @throws {Error} with what kubectl says. */
  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(pathOf("kubectl"), ["--kubeconfig", this.#kubeconfig, ...args], {
      maxBuffer: 2 ** 26,
    });
    return stdout;
  }

  /** Server-side apply, as a field manager of its own. */
  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects) await this.#pipe(object, ...APPLY, "-f", "-");
  }

  /** Creation, for names that Kubernetes makes and for what is only tried. @throws {Error} with what kubectl says. */
  async create(object: object, ...flags: readonly string[]): Promise<void> {
    await this.#pipe(object, "create", ...flags, "-f", "-");
  }

  async applyFile(path: string): Promise<void> {
    await this.run(...APPLY, "-f", path);
  }

  /** @param target such as `secret/orders-db` */
  async get(target: string, namespace = "default"): Promise<JsonObject | undefined> {
    const [name = "", object = ""] = target.split("/");
    const kind = await this.#kindOf(name);
    const reference = { apiVersion: toApiVersion(kind), kind: kind.kind, namespace, name: object };
    return (await getIfThere(this.#cluster, reference))?.toObject();
  }

  async list(kind: string, namespace?: string): Promise<readonly JsonObject[]> {
    const found = await list(this.#cluster, await this.#kindOf(kind), namespace === undefined ? {} : { namespace });
    return found.map((document) => document.toObject());
  }

  /** The kind of a name in kubectl's notation. Asks for the kinds anew where it is not among them. */
  async #kindOf(name: string): Promise<ResourceKind> {
    const known = findKindsByName(name, this.#cluster.kinds)[0];
    if (known !== undefined) return known;
    this.#cluster = await toCluster(this.#cluster);
    const [found] = findKindsByName(name, this.#cluster.kinds);
    if (found === undefined) throw new Error(`the server doesn't have a resource type "${name}"`);
    return found;
  }

  /** Watches until `over` settles, and returns the printed lines: one for each state of an object, the first included. */
  async watch(over: Promise<unknown>, ...args: readonly string[]): Promise<readonly string[]> {
    const all = ["--kubeconfig", this.#kubeconfig, "get", ...args, "--watch"];
    const end = new AbortController();
    const watching = run(pathOf("kubectl"), all, { signal: end.signal, maxBuffer: 2 ** 26 }).catch(
      (error: { readonly name?: string; readonly stdout?: string }) => {
        if (error.name !== "AbortError") throw error;
        return { stdout: error.stdout ?? "" };
      },
    );
    await Promise.race([over, watching]).finally(() => end.abort());
    return (await watching).stdout.split("\n").filter(Boolean);
  }

  /** Waits until kinds can be used. @param targets such as `xrd/xstores.platform.example.org` */
  established(...targets: readonly string[]): Promise<void> {
    return this.waitFor("Established", ...targets);
  }

  /** Waits for a condition. `kubectl wait` fails at once where an object has no conditions yet, so it is asked again. */
  async waitFor(condition: string, ...targets: readonly string[]): Promise<void> {
    const wait = async (): Promise<boolean> => {
      await this.run("wait", `--for=condition=${condition}`, ...targets, "--timeout=180s");
      return true;
    };
    await until(`${targets.join(", ")} is ${condition}`, wait, { timeoutMs: 180_000 });
  }

  async patch(target: string, patch: object, { namespace = "default", subresource = "" } = {}): Promise<void> {
    const args = ["patch", target, "-n", namespace, "--type=merge", "-p", JSON.stringify(patch)];
    await this.run(...args, ...(subresource === "" ? [] : [`--subresource=${subresource}`]));
  }

  #pipe(object: object, ...args: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = execFile(pathOf("kubectl"), ["--kubeconfig", this.#kubeconfig, ...args], (error, _, stderr) =>
        error === null ? resolve() : reject(new Error(`cannot ${args[0]}: ${stderr}`)),
      );
      child.stdin?.end(JSON.stringify(object));
    });
  }
}
