#!/usr/bin/env node
import { toHost } from "./serve/old/host.ts";
import { run } from "./serve/serve.ts";

// Without a top-level await, so that the bundle can be CommonJS: that starts 100 ms sooner than an ES module.
void run(process.argv.slice(2), toHost(process)).then((exitCode) => {
  process.exitCode = exitCode;
});
