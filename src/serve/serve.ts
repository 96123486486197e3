import { createLog } from "../log.ts";
import { workerProgram } from "../package.ts";
import { runFunction } from "../run-function.ts";
import { serve } from "../server/server.ts";
import { startThread } from "../server/worker-thread.ts";
import { serveCommand } from "./command.ts";
import { toConfig } from "./config.ts";
import { toRun } from "./old/run.ts";

/** `serve`: serves until a signal. The first one lets calls in flight finish, a second one does not. */
export const run = toRun(serveCommand, async (line, host) => {
  const config = toConfig(line);
  const log = createLog(config, host.log);
  const thread = startThread(workerProgram, runFunction, log);
  try {
    const server = await serve(config, { runFunction, runInThread: thread.run, log });
    const signal = await host.nextSignal();
    log.info("shutting down", { signal });
    void host.nextSignal().then(() => server.destroy());
    await server.shutDown();
    return 0;
  } finally {
    await thread.stop(); // it would keep the process alive
  }
});
