import { afterEach, expect, test, vi } from "vitest";
import { FunctionError } from "../src/errors.ts";
import { flags, readFlags, toHelp } from "../src/flags.ts";
import { addressToText, type Config } from "../src/server/config.ts";

const MB = 1024 * 1024;

const defaults: Config = {
  address: { port: 9443 },
  transport: { is: "insecure" },
  debug: false,
  maxRecvMessageBytes: 64 * MB,
  maxConcurrentStreams: 100,
  maxConnectionAgeMs: 0,
  metricsAddress: { port: 8080 },
  shutdownGracePeriodMs: 25_000,
};

const mtls = (certsDir: string): Pick<Config, "transport"> => ({ transport: { is: "mtls", certsDir } });
const split = (args: string): readonly string[] => (args === "" ? [] : args.split(" "));
afterEach(() => vi.unstubAllEnvs());

const CERTS = { TLS_SERVER_CERTS_DIR: "/env" };

test.each<[reason: string, args: string, config: Partial<Config>]>([
  ["nothing", "", {}],
  ["--address=", "--address=[::1]:1", { address: { host: "::1", port: 1 } }],
  ["--address VALUE", "--address :1", { address: { port: 1 } }],
  ["a name", "--address=localhost:0", { address: { host: "localhost", port: 0 } }],
  ["--debug", "--debug", { debug: true }],
  ["-d", "-d", { debug: true }],
  ["--debug=false", "--debug=false", {}],
  ["--max-recv-message-size=", "--max-recv-message-size=1", { maxRecvMessageBytes: MB }],
  ["--max-recv-message-size VALUE", "--max-recv-message-size 2047", { maxRecvMessageBytes: 2047 * MB }],
  ["--metrics-address=ADDRESS", "--metrics-address=127.0.0.1:9", { metricsAddress: { host: "127.0.0.1", port: 9 } }],
  ["--metrics-address=", "--metrics-address=", { metricsAddress: "off" }],
  ["--metrics-address ''", "--metrics-address ", { metricsAddress: "off" }],
  ["a grace period of all units", "--shutdown-grace-period=1h1m1s1ms", { shutdownGracePeriodMs: 3_661_001 }],
  ["no grace period", "--shutdown-grace-period 0s", { shutdownGracePeriodMs: 0 }],
  [
    "limit",
    "--max-concurrent-streams=7 --max-connection-age=4s",
    { maxConcurrentStreams: 7, maxConnectionAgeMs: 4000 },
  ],
  ["the last of two", "--address=:1 --address=:2", { address: { port: 2 } }],
  ["-- alone", "--", {}],
])("the server takes %s, beside --insecure", (_reason, args, config) => {
  expect(readFlags(["--insecure", ...split(args)])).toEqual({ ...defaults, ...config });
});

test.each<[reason: string, args: string, env: Readonly<Record<string, string>>, config: Partial<Config>]>([
  ["--insecure=true", "--insecure=true", {}, {}],
  ["--tls-certs-dir=", "--tls-certs-dir=/certs", {}, mtls("/certs")],
  ["--tls-certs-dir VALUE", "--tls-certs-dir /certs", {}, mtls("/certs")],
  ["TLS_SERVER_CERTS_DIR", "", CERTS, mtls("/env")],
  ["the flag comes before the environment", "--tls-certs-dir=/certs", CERTS, mtls("/certs")],
  ["--insecure comes before TLS_SERVER_CERTS_DIR, which Crossplane sets for every function", "--insecure", CERTS, {}],
  ["--insecure comes before --tls-certs-dir", "--insecure --tls-certs-dir=/certs", {}, {}],
  ["--insecure=false leaves TLS on", "--insecure=false", CERTS, mtls("/env")],
])("the server takes a transport: %s", (_reason, args, env, config) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  expect(readFlags(split(args))).toEqual({ ...defaults, ...config });
});

const faultsOf = (args: readonly string[]): readonly string[] => {
  try {
    readFlags(args);
  } catch (error) {
    if (error instanceof FunctionError && error.code === "InvalidFlags") return error.message.split("\n");
  }
  return [];
};

test("all faults of a command line are told at once", () => {
  const args = ["now", "--colour=blue", "-x", "--adress=:1", "--network=tcp4", "--debug=maybe", "--address=9443"];
  const more = ["--max-recv-message-size=0", "--shutdown-grace-period=25", "--metrics-address"];
  expect(faultsOf([...args, ...more])).toEqual([
    "cannot use the flags:",
    '  unexpected argument "now"',
    "  --colour: unknown flag",
    "  -x: unknown flag",
    "  --adress: unknown flag; did you mean --address?",
    "  --network: unknown flag",
    '  --address: expected an address such as :9443, 127.0.0.1:9443 or [::1]:9443; found "9443"',
    "  --tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS",
    '  --debug: expected true or false; found "maybe"',
    '  --max-recv-message-size: expected a whole number of MB from 1 to 2047; found "0"',
    "  --metrics-address: needs a value",
    '  --shutdown-grace-period: expected a duration such as 25s, 1m30s or 500ms; found "25"',
  ]);
});

test.each<[reason: string, args: string, fault: RegExp]>([
  ["a switch as a value", "--address --debug", /--address: needs a value/],
  ["a port above 65535", "--address=:65536", /--address: expected an address/],
  ["a port that is no number", "--address=:https", /--address: expected an address/],
  ["an IPv6 address without brackets", "--address=::1:9443", /--address: expected an address/],
  ["metrics at a path", "--metrics-address=/m", /\[::1\]:9443, or empty; found/],
  ["a part of a MB", "--max-recv-message-size=1.5", /MB from 1 to 2047; found/],
  ["too many MB", "--max-recv-message-size=2048", /MB from 1 to 2047; found/],
  ["no duration", "--shutdown-grace-period=", /a duration such as/],
  ["units in a wrong order", "--shutdown-grace-period=1s1m", /a duration such as/],
  ["more than a day", "--shutdown-grace-period=24h1ms", /a duration such as/],
  ["no streams at all", "--max-concurrent-streams=0", /from 1 to 1000000; found/],
  ["an argument after --", "-- x", /unexpected argument "x"/],
  ["no way to know clients, with --insecure taken back", "--insecure=false", /^ {2}--tls-certs-dir: no directory/],
])("the server refuses %s", (_reason, args, fault) => {
  const [headline, ...faults] = faultsOf(["--insecure", ...split(args)]);
  expect(headline).toBe("cannot use the flags:");
  expect(faults).toEqual([expect.stringMatching(fault)]);
});

test.each([
  { address: { port: 9443 }, text: ":9443" },
  { address: { host: "127.0.0.1", port: 1 }, text: "127.0.0.1:1" },
  { address: { host: "::1", port: 1 }, text: "[::1]:1" },
])("an address is written as $text", ({ address, text }) => {
  expect(addressToText(address)).toBe(text);
});

test.each([
  { args: ["--help"], is: "help" },
  { args: ["--colour", "--version"], is: "version" },
])("$args is answered whatever else is wrong", ({ args, is }) => {
  expect(readFlags(args)).toBe(is);
});

test.each(Object.values(flags))("the help has $long with its purpose, default and variable", (flag) => {
  const line = toHelp()
    .split("\n")
    .find((text) => new RegExp(`${flag.long}\\b`).test(text));
  for (const part of [flag.description, flag.flags, flag.defaultValue, flag.envVar]) expect(line).toContain(part ?? "");
});
