import { expect, test } from "vitest";
import type { Environment } from "../../cli/command-line.ts";
import { FunctionError } from "../../src/errors.ts";
import { addressToText } from "../../src/server/address.ts";
import type { Config } from "../../src/server/config.ts";
import { configFrom } from "../../testing/servers/config.ts";

const MB = 1024 * 1024;

const defaults: Config = {
  address: { port: 9443 },
  transport: { is: "insecure" },
  debug: false,
  maxRecvMessageBytes: 64 * MB,
  metricsAddress: { port: 8080 },
  shutdownGracePeriodMs: 25_000,
  limits: {
    maxConcurrentStreams: 100,
    maxRequestBytesInMemory: 128 * MB,
    maxHeaderBytes: 16 * 1024,
    callTimeoutMs: 30_000,
    keepaliveIntervalMs: 60_000,
    keepaliveTimeoutMs: 20_000,
    maxConnectionIdleMs: 15 * 60_000,
    maxConnectionAgeMs: 0,
  },
};

interface Row {
  readonly reason: string;
  readonly args: readonly string[];
  readonly env?: Environment;
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
  {
    reason: "tcp4 and no host",
    args: ["--insecure", "--network=tcp4"],
    config: { address: { host: "0.0.0.0", port: 9443 } },
  },
  {
    reason: "tcp6 and no host",
    args: ["--insecure", "--network", "tcp6"],
    config: { address: { host: "::", port: 9443, ipv6Only: true } },
  },
  {
    reason: "tcp6 and a host",
    args: ["--insecure", "--network=tcp6", "--address=[::1]:9443"],
    config: { address: { host: "::1", port: 9443, ipv6Only: true } },
  },
  {
    reason: "unix and a path",
    args: ["--insecure", "--network=unix", "--address=/run/f.sock"],
    config: { address: { path: "/run/f.sock" } },
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
    reason: "metrics stay on TCP, whatever the network is",
    args: ["--insecure", "--network=unix", "--address=a", "--metrics-address=:1"],
    config: { address: { path: "a" }, metricsAddress: { port: 1 } },
  },
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
    args: [
      "--insecure",
      "--max-concurrent-streams=7",
      "--max-requests-in-memory=8",
      "--max-header-size=9",
      "--call-timeout=1s",
      "--keepalive-interval=2s",
      "--keepalive-timeout=3s",
      "--max-connection-idle=0s",
      "--max-connection-age=4s",
    ],
    config: {
      limits: {
        maxConcurrentStreams: 7,
        maxRequestBytesInMemory: 8 * MB,
        maxHeaderBytes: 9 * 1024,
        callTimeoutMs: 1000,
        keepaliveIntervalMs: 2000,
        keepaliveTimeoutMs: 3000,
        maxConnectionIdleMs: 0,
        maxConnectionAgeMs: 4000,
      },
    },
  },
  { reason: "the last of two", args: ["--insecure", "--address=:1", "--address=:2"], config: { address: { port: 2 } } },
  { reason: "-- alone", args: ["--insecure", "--"], config: {} },
])("serve takes $reason", ({ args, env = {}, config }) => {
  expect(configFrom(args, env)).toEqual({ ...defaults, ...config });
});

const faultsOf = (args: readonly string[]): readonly string[] => {
  try {
    configFrom(args);
  } catch (error) {
    if (error instanceof FunctionError && error.code === "InvalidFlags") return error.message.split("\n");
  }
  return [];
};

test("all faults of a command line are told at once", () => {
  const args = ["now", "--colour=blue", "-x", "--debug=maybe", "--network=udp", "--address=9443"];
  const more = ["--max-recv-message-size=0", "--shutdown-grace-period=25", "--metrics-address"];
  expect(faultsOf([...args, ...more])).toEqual([
    "cannot use the command line:",
    "  --colour: unknown flag",
    "  -x: unknown flag",
    '  --debug: true or false; found "maybe"',
    "  --metrics-address: needs a value",
    '  unexpected argument "now"',
    '  --network: one of tcp, tcp4, tcp6, unix; found "udp"',
    '  --address: an address such as :9443, 127.0.0.1:9443 or [::1]:9443; found "9443"',
    '  --max-recv-message-size: a whole number of MB from 1 to 2047; found "0"',
    '  --shutdown-grace-period: a duration such as 25s, 1m30s or 500ms; found "25"',
    "  --tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS",
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
  { reason: "no path", args: ["--insecure", "--network=unix", "--address="], fault: /--address: a path; found ""/ },
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
  { reason: "no headers at all", args: ["--insecure", "--max-header-size=0"], fault: /KB from 1 to 1024; found/ },
  { reason: "headers of more than a MB", args: ["--insecure", "--max-header-size=1025"], fault: /KB from 1 to 1024/ },
  {
    reason: "calls that take no time",
    args: ["--insecure", "--call-timeout=0s"],
    fault: /500ms, and not 0s; found "0s"/,
  },
  { reason: "an argument after --", args: ["--insecure", "--", "x"], fault: /unexpected argument "x"/ },
])("serve refuses $reason", ({ args, fault }) => {
  const [headline, ...faults] = faultsOf(args);
  expect(headline).toBe("cannot use the command line:");
  expect(faults).toEqual([expect.stringMatching(fault)]);
});

test.each([
  { address: { port: 9443 }, text: ":9443" },
  { address: { host: "127.0.0.1", port: 1 }, text: "127.0.0.1:1" },
  { address: { host: "::1", port: 1 }, text: "[::1]:1" },
  { address: { path: "/run/f.sock" }, text: "/run/f.sock" },
])("writes an address as $text", ({ address, text }) => {
  expect(addressToText(address)).toBe(text);
});
