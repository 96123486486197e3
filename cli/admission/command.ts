import { connectionFlags, exitCodes } from "../cluster.ts";
import { defineCommand } from "../command.ts";

export const admissionCommand = defineCommand({
  name: "admission",
  usage: ["[flags]"],
  description: `Serve a ValidatingWebhook (AdmissionReview v1) that denies an XR, a claim or a managed resource whose cloud resource somebody else owns, and says who. It looks owners up as "registry who-owns" and preflight do. POST /validate, over TLS.

It never denies a deletion, a subresource, an object that is being deleted, an update that does not change which cloud resource an object stands for, the owner itself, or a managed resource that only observes. It changes nothing, so a dry run is answered like any other request.`,
  flags: [
    {
      name: "mapping",
      short: "m",
      value: "FILE",
      isRepeatable: true,
      help: "The cloud resources that XRs and claims stand for: docs/registry.md. Read at the start.",
    },
    { name: "address", value: "ADDRESS", default: ":8443", help: "Where to serve the webhook over TLS." },
    {
      name: "metrics-address",
      value: "ADDRESS",
      default: ":8080",
      help: "Where to serve /healthz, /readyz and /metrics over HTTP. All three are served over TLS as well.",
    },
    {
      name: "tls-certs-dir",
      value: "DIRECTORY",
      env: "TLS_SERVER_CERTS_DIR",
      help: "Directory of tls.crt and tls.key. Changed files are picked up.",
    },
    {
      name: "on-conflict",
      value: "ACTION",
      default: "deny",
      help: "deny, or warn: admit with a warning, to see first what would be denied.",
    },
    {
      name: "on-error",
      value: "ACTION",
      default: "allow",
      help:
        "The answer to a request that cannot be checked, for instance because RBAC lacks a verb: allow, with a warning, or deny. If the " +
        "webhook itself cannot be reached, its failurePolicy decides.",
    },
    {
      name: "lookup-timeout",
      value: "DURATION",
      default: "4s",
      help: "How long the look-up for one request may take, repeats included. Keep it below the webhook's timeoutSeconds.",
    },
    ...connectionFlags,
    { name: "debug", short: "d", help: "Log debug lines as well, and as text instead of JSON." },
  ],
  notes: `Exit codes:
  0  Ended by SIGTERM or SIGINT.
  2  It cannot start; standard error says why.

Example:
  function-shared-infrastructure admission --mapping=mapping.yaml --tls-certs-dir=/tls --on-conflict=warn`,
  exitCodes,
});
