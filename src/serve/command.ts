import { flags } from "./flags.ts";
import { defineCommand } from "./old/command.ts";

export const serveCommand = defineCommand({
  name: "serve",
  usage: ["[flags]"],
  description:
    "Serve as a Crossplane composition function: gRPC with mTLS, health and reflection, and Prometheus metrics. Crossplane starts it " +
    "from the package; the flags are those of function-sdk-go's template.",
  flags,
  notes: `Exit codes:
  0  Ended by SIGTERM or SIGINT.
  1  It cannot start; standard error says why.`,
  exitCodes: { usage: 1, failed: 1 },
});
