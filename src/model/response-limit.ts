const MIB = 1024 * 1024;

/** The largest response that Crossplane's client takes: grpc-go's default, which Crossplane does not raise. Its error says no more. */
export const MAX_RESPONSE_BYTES = 4 * MIB;

/** The part of a response that copies of Secrets may fill; the rest is left to other steps and the XR's status. */
export const MAX_COPIES_BYTES = 3 * MIB;
