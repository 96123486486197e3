const MIB = 1024 * 1024;

/** The largest response that Crossplane's client accepts: grpc-go's default, which Crossplane does not raise. */
export const MAX_RESPONSE_BYTES = 4 * MIB;

/** The most bytes of copied Secrets in a response; the rest is for other steps and the XR's status. */
export const MAX_COPIES_BYTES = 3 * MIB;
