/** What `admission --help` prints. */
export const help = `Usage: admission [flags]

A ValidatingWebhook (AdmissionReview v1): denies an XR, a claim or a managed resource whose cloud resource somebody else owns,
and says who. The same look-up as "registry who-owns" and preflight. POST /validate, over TLS.

It never denies a deletion, a subresource, an object that is being deleted, an update that does not change which cloud resource
an object stands for, the owner itself, or a managed resource that only observes. It changes nothing, so a dry run is answered
like any other request.

Flags:
  -m, --mapping=FILE            What XRs and claims stand for: docs/registry.md. Can be repeated; read at the start.
      --address=ADDRESS         Where to serve the webhook over TLS (default :8443).
      --metrics-address=ADDRESS Where to serve /healthz, /readyz and /metrics over HTTP (default :8080). The first two
                                are served over TLS as well.
      --tls-certs-dir=DIRECTORY Directory of tls.crt and tls.key. Changed files are picked up. (environment
                                TLS_SERVER_CERTS_DIR)
      --on-conflict=ACTION      deny (default), or warn: admit with a warning, to see first what would be denied.
      --on-error=ACTION         What becomes of a request that cannot be checked, as when RBAC lacks a verb: allow (default),
                                with a warning, or deny. Where the webhook itself is away, its failurePolicy decides.
      --lookup-timeout=DURATION How long one request's look-up may take, repeats included (default 4s). Below the webhook's
                                timeoutSeconds.
      --kubeconfig=FILE         The kubeconfig. Default: KUBECONFIG, ~/.kube/config, or the pod's service account.
      --context=NAME            The kubeconfig's context. Default: its current one.
      --debug                   Log as text, and each request.
  -h, --help                    Show this help.

Exit codes: 0: ended by SIGTERM or SIGINT; 2: it cannot start, the message says why.

Example:
  admission --mapping=mapping.yaml --tls-certs-dir=/tls --on-conflict=warn
`;
