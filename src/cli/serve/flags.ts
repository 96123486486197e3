import type { Flag } from "../command.ts";

/**
 * Names, short forms and variables are those of function-sdk-go's template, so that a DeploymentRuntimeConfig can be
 * moved from another function to this one. Two defaults are our own:
 *
 * - `max-recv-message-size`: grpc-go's 4 MB are too few. An XR with a hundred composed resources is 660 KB, required
 *   resources and Secrets come on top, and Crossplane's client sends any size. etcd takes about 1.5 MB an object, so 64 MB
 *   hold some forty of the largest; a client has to prove who it is before it may send them.
 * - `shutdown-grace-period`: Kubernetes kills after 30 s (terminationGracePeriodSeconds), so ours ends before that.
 *
 * `metrics-address` is function-sdk-go's default port; unlike there, a port that is taken is an error.
 */
export const flags = [
  {
    name: "address",
    value: "ADDRESS",
    default: ":9443",
    help: "Where to listen for gRPC: HOST:PORT, :PORT or a path.",
  },
  { name: "network", value: "NETWORK", default: "tcp", help: "What the address is of: tcp, tcp4, tcp6 or unix." },
  {
    name: "tls-certs-dir",
    value: "DIRECTORY",
    env: "TLS_SERVER_CERTS_DIR",
    help: "Directory of tls.crt and tls.key, and ca.crt to verify clients with. Changed files are picked up.",
  },
  { name: "insecure", help: "Serve without TLS, to anyone; --tls-certs-dir is ignored. For development only." },
  { name: "debug", short: "d", help: "Log debug lines as well, and as text instead of JSON." },
  {
    name: "max-recv-message-size",
    value: "MB",
    default: "64",
    help: "The largest request to take, in MB (1024 × 1024).",
  },
  {
    name: "metrics-address",
    value: "ADDRESS",
    default: ":8080",
    help: "Where to serve Prometheus metrics over HTTP, at /metrics; empty for nowhere.",
  },
  {
    name: "shutdown-grace-period",
    value: "DURATION",
    default: "25s",
    help: "How long calls may take to finish after SIGTERM or SIGINT.",
  },
  {
    name: "max-concurrent-streams",
    value: "NUMBER",
    default: "100",
    help: "How many calls a connection may have open; a client that keeps to HTTP/2 waits with the next.",
  },
  {
    name: "max-requests-in-memory",
    value: "MB",
    default: "128",
    help: "What requests may take in memory at a time, over all connections; beyond it calls get RESOURCE_EXHAUSTED, those of the connection that holds most first.",
  },
  {
    name: "max-header-size",
    value: "KB",
    default: "16",
    help: "The largest list of headers of a call, in KB (1024).",
  },
  {
    name: "call-timeout",
    value: "DURATION",
    default: "30s",
    help: "How long a call may take, from its headers until its answer is read; ends requests that stop half way and answers that nobody reads.",
  },
  {
    name: "keepalive-interval",
    value: "DURATION",
    default: "1m",
    help: "How often to ask over a connection whether its client is still there.",
  },
  {
    name: "keepalive-timeout",
    value: "DURATION",
    default: "20s",
    help: "How long a client may take to say so, before the connection is closed.",
  },
  {
    name: "max-connection-idle",
    value: "DURATION",
    default: "15m",
    help: "How long a connection may be without a call; 0s for any time.",
  },
  {
    name: "max-connection-age",
    value: "DURATION",
    default: "0s",
    help: "When a client is asked to connect anew, so that it finds replicas that were added; 0s for never.",
  },
] as const satisfies readonly Flag[];
