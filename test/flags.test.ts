import { expect, test } from "vitest";
import { FunctionError } from "../src/errors.ts";
import { type Flag, flags, readFlags, toHelp } from "../src/flags.ts";
import { addressToText } from "../src/server/address.ts";
import type { Config } from "../src/server/config.ts";

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

interface Row {
  readonly reason: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config: Partial<Config>;
}

const mtls = (certsDir: string): Pick<Config, "transport"> => ({ transport: { is: "mtls", certsDir } });

test.each<Row>([
  { reason: "nothing but --insecure", args: ["--insecure"], config: {} },
  { reason: "--insecure=true", args: ["--insecure=true"], config: {} },
  { reason: "--address=", args: ["--insecure", "--address=[::1]:1"], config: { address: { host: "::1", port: 1 } } },
  { reason: "--address VALUE", args: ["--insecure", "--address", ":1"], config: { address: { port: 1 } } },
  {
    reason: "a name",
    args: ["--insecure", "--address=localhost:0"],
    config: { address: { host: "localhost", port: 0 } },
  },
  { reason: "--tls-certs-dir=", args: ["--tls-certs-dir=/certs"], config: mtls("/certs") },
  { reason: "--tls-certs-dir VALUE", args: ["--tls-certs-dir", "/certs"], config: mtls("/certs") },
  { reason: "TLS_SERVER_CERTS_DIR", args: [], env: { TLS_SERVER_CERTS_DIR: "/env" }, config: mtls("/env") },
  {
    reason: "the flag comes before the environment",
    args: ["--tls-certs-dir=/certs"],
    env: { TLS_SERVER_CERTS_DIR: "/env" },
    config: mtls("/certs"),
  },
  {
    reason: "--insecure comes before TLS_SERVER_CERTS_DIR, which Crossplane sets for every function",
    args: ["--insecure"],
    env: { TLS_SERVER_CERTS_DIR: "/env" },
    config: {},
  },
  { reason: "--insecure comes before --tls-certs-dir", args: ["--insecure", "--tls-certs-dir=/certs"], config: {} },
  {
    reason: "--insecure=false leaves TLS on",
    args: ["--insecure=false"],
    env: { TLS_SERVER_CERTS_DIR: "/env" },
    config: mtls("/env"),
  },
  { reason: "--debug", args: ["--insecure", "--debug"], config: { debug: true } },
  { reason: "-d", args: ["--insecure", "-d"], config: { debug: true } },
  { reason: "--debug=false", args: ["--insecure", "--debug=false"], config: {} },
  {
    reason: "--max-recv-message-size=",
    args: ["--insecure", "--max-recv-message-size=1"],
    config: { maxRecvMessageBytes: MB },
  },
  {
    reason: "--max-recv-message-size VALUE",
    args: ["--insecure", "--max-recv-message-size", "2047"],
    config: { maxRecvMessageBytes: 2047 * MB },
  },
  {
    reason: "--metrics-address=ADDRESS",
    args: ["--insecure", "--metrics-address=127.0.0.1:9"],
    config: { metricsAddress: { host: "127.0.0.1", port: 9 } },
  },
  { reason: "--metrics-address=", args: ["--insecure", "--metrics-address="], config: { metricsAddress: "off" } },
  { reason: "--metrics-address ''", args: ["--insecure", "--metrics-address", ""], config: { metricsAddress: "off" } },
  {
    reason: "a grace period of all units",
    args: ["--insecure", "--shutdown-grace-period=1h1m1s1ms"],
    config: { shutdownGracePeriodMs: 3_661_001 },
  },
  {
    reason: "no grace period",
    args: ["--insecure", "--shutdown-grace-period", "0s"],
    config: { shutdownGracePeriodMs: 0 },
  },
  {
    reason: "limits",
    args: ["--insecure", "--max-concurrent-streams=7", "--max-connection-age=4s"],
    config: { maxConcurrentStreams: 7, maxConnectionAgeMs: 4000 },
  },
  { reason: "the last of two", args: ["--insecure", "--address=:1", "--address=:2"], config: { address: { port: 2 } } },
  { reason: "-- alone", args: ["--insecure", "--"], config: {} },
])("the server takes $reason", ({ args, env = {}, config }) => {
  expect(readFlags(args, env)).toEqual({ ...defaults, ...config });
});

const faultsOf = (args: readonly string[]): readonly string[] => {
  try {
    readFlags(args, {});
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
    "  --metrics-address: needs a value",
    '  --address: an address such as :9443, 127.0.0.1:9443 or [::1]:9443; found "9443"',
    "  --tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS",
    '  --debug: true or false; found "maybe"',
    '  --max-recv-message-size: a whole number of MB from 1 to 2047; found "0"',
    '  --shutdown-grace-period: a duration such as 25s, 1m30s or 500ms; found "25"',
  ]);
});

test.each([
  { reason: "no way to know clients", args: [], fault: /^ {2}--tls-certs-dir: no directory/ },
  { reason: "a switch as a value", args: ["--insecure", "--address", "--debug"], fault: /--address: needs a value/ },
  { reason: "a port above 65535", args: ["--insecure", "--address=:65536"], fault: /--address: an address/ },
  { reason: "a port that is no number", args: ["--insecure", "--address=:https"], fault: /--address: an address/ },
  {
    reason: "an IPv6 address without brackets",
    args: ["--insecure", "--address=::1:9443"],
    fault: /--address: an addr/,
  },
  { reason: "metrics at a path", args: ["--insecure", "--metrics-address=/m"], fault: /\[::1\]:9443, or empty; found/ },
  { reason: "a part of a MB", args: ["--insecure", "--max-recv-message-size=1.5"], fault: /MB from 1 to 2047; found/ },
  { reason: "too many MB", args: ["--insecure", "--max-recv-message-size=2048"], fault: /MB from 1 to 2047; found/ },
  { reason: "no duration", args: ["--insecure", "--shutdown-grace-period="], fault: /a duration such as/ },
  { reason: "units in a wrong order", args: ["--insecure", "--shutdown-grace-period=1s1m"], fault: /a duration such/ },
  { reason: "more than a day", args: ["--insecure", "--shutdown-grace-period=24h1ms"], fault: /a duration such as/ },
  {
    reason: "no streams at all",
    args: ["--insecure", "--max-concurrent-streams=0"],
    fault: /from 1 to 1000000; found/,
  },
  { reason: "an argument after --", args: ["--insecure", "--", "x"], fault: /unexpected argument "x"/ },
])("the server refuses $reason", ({ args, fault }) => {
  const [headline, ...faults] = faultsOf(args);
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
  expect(readFlags(args, {})).toBe(is);
});

test.each<Flag>(flags)("the help has --$name with its purpose, default and variable", (flag) => {
  const line = toHelp()
    .split("\n")
    .find((text) => new RegExp(`--${flag.name}\\b`).test(text));
  for (const part of [flag.help, flag.value, flag.default, flag.env]) expect(line).toContain(part ?? "");
});
