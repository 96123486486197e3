import type { Flag } from "./old/command.ts";

/**
 * The flags of `serve`. Names, short forms and variables are those of function-sdk-go's template, so that a
 * DeploymentRuntimeConfig can be moved from another function to this one. Two defaults differ:
 *
 * - `max-recv-message-size`: grpc-go's 4 MB are not enough. An XR with a hundred composed resources has 660 KB, required resources
 *   and Secrets are added, and Crossplane's client sends any size. etcd limits an object to about 1.5 MB, so 64 MB are enough for
 *   some forty of the largest; only clients with a certificate can send them.
 * - `shutdown-grace-period`: Kubernetes kills a pod after 30 s (terminationGracePeriodSeconds), so this is shorter.
 *
 * `metrics-address` has function-sdk-go's default port; unlike there, a port in use is an error.
 */
export const flags = [
  {
    name: "address",
    value: "ADDRESS",
    default: ":9443",
    help: "The address for gRPC: HOST:PORT, :PORT or a path.",
  },
  { name: "network", value: "NETWORK", default: "tcp", help: "The network of the address: tcp, tcp4, tcp6 or unix." },
  {
    name: "tls-certs-dir",
    value: "DIRECTORY",
    env: "TLS_SERVER_CERTS_DIR",
    help: "Directory of tls.crt, tls.key, and ca.crt, which verifies clients. Changed files are reloaded.",
  },
  { name: "insecure", help: "Serve without TLS, to anyone; --tls-certs-dir is ignored. For development only." },
  { name: "debug", short: "d", help: "Log debug lines as well, and as text instead of JSON." },
  {
    name: "max-recv-message-size",
    value: "MB",
    default: "64",
    help: "The size limit of a request, in MB (1024 × 1024 bytes).",
  },
  {
    name: "metrics-address",
    value: "ADDRESS",
    default: ":8080",
    help: "The address for Prometheus metrics over HTTP, at /metrics; empty to turn them off.",
  },
  {
    name: "shutdown-grace-period",
    value: "DURATION",
    default: "25s",
    help: "Time limit for calls in flight after SIGTERM or SIGINT.",
  },
  {
    name: "max-concurrent-streams",
    value: "NUMBER",
    default: "100",
    help: "Limit of open calls per connection; clients wait before they open more.",
  },
  {
    name: "max-requests-in-memory",
    value: "MB",
    default: "128",
    help: "Memory limit of all requests together. Beyond it calls get RESOURCE_EXHAUSTED, beginning with the connection that uses most.",
  },
  {
    name: "max-header-size",
    value: "KB",
    default: "16",
    help: "The size limit of a call's headers, in KB (1024 bytes).",
  },
  {
    name: "call-timeout",
    value: "DURATION",
    default: "30s",
    help: "Time limit of a call, from its headers until its answer is read. Ends half-sent requests and unread answers.",
  },
  {
    name: "keepalive-interval",
    value: "DURATION",
    default: "1m",
    help: "The interval of keepalive pings on a connection.",
  },
  {
    name: "keepalive-timeout",
    value: "DURATION",
    default: "20s",
    help: "Time limit for the answer to a ping, after which the connection is closed.",
  },
  {
    name: "max-connection-idle",
    value: "DURATION",
    default: "15m",
    help: "Time after which a connection without calls is closed; 0s for no limit.",
  },
  {
    name: "max-connection-age",
    value: "DURATION",
    default: "0s",
    help: "Age at which a client is asked to reconnect, so that it finds added replicas; 0s for no limit.",
  },
] as const satisfies readonly Flag[];
