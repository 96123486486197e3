import { Option } from "commander";
import { type AddCommand, connectionFlags, flag, withExamples, withFlags } from "../command.ts";
import type { AdmissionOptions } from "./admission.ts";

const flags: readonly Option[] = [
  flag.repeatable("-m, --mapping <file>", "The cloud resources that XRs and claims represent. Read at the start."),
  flag.address("--address <address>", "Where to serve the webhook over TLS.", ":8443"),
  flag.address("--metrics-address <address>", "Where to serve /healthz, /readyz and /metrics over HTTP.", ":8080"),
  new Option(
    "--tls-certs-dir <directory>",
    "Directory of tls.crt and tls.key. Changed files are picked up. (environment: TLS_SERVER_CERTS_DIR)",
  ),
  flag.choice("--on-conflict <action>", "warn admits with a warning, to see first what would be denied.", [
    "deny",
    "warn",
  ]),
  flag.choice(
    "--on-error <action>",
    "The answer to a request that cannot be checked, for instance because RBAC lacks a verb: allow, with a warning, or deny. " +
      "If the webhook itself cannot be reached, its failurePolicy decides.",
    ["allow", "deny"],
  ),
  flag.duration(
    "--lookup-timeout <duration>",
    "How long the look-up for one request may take, repeats included. Keep it below the webhook's timeoutSeconds.",
    "4s",
  ),
  flag
    .repeatable(
      "--trust <user>",
      "A user whose ownership marks count, in addition to Crossplane's, such as a backup tool's.",
    )
    .default(["system:serviceaccount:crossplane-system:crossplane"]),
  ...connectionFlags,
  new Option("-d, --debug", "Log debug lines as well, and as text instead of JSON."),
];

export const addAdmission: AddCommand = (program, choose) =>
  withExamples(withFlags(program.command("admission"), flags), EXAMPLES)
    .summary("Serve a webhook that denies objects whose cloud resource somebody else owns.")
    .description(DESCRIPTION)
    .action((options: AdmissionOptions) =>
      choose(async (host) => (await import("./admission.ts")).admission(options, host)),
    );

const DESCRIPTION = `Serve a ValidatingWebhook (AdmissionReview v1) that denies an XR, a claim or a managed resource whose cloud resource somebody else owns, and says who. It looks owners up as "registry who-owns" and preflight do. POST /validate, over TLS.

It never denies a subresource, an object that is being deleted, the owner itself, or a managed resource that only observes. It denies an update only if it changes the cloud resource that the object represents, or begins to write it. It denies a deletion only if that would leave a cloud resource behind without an owner. It changes nothing, so a dry run is answered like any other request.`;

const EXAMPLES = ["shared-infrastructure admission --mapping=mapping.yaml --tls-certs-dir=/tls --on-conflict=warn"];
