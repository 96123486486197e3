#!/usr/bin/env node
import { processIo } from "../process.ts";
import { preflight } from "./preflight.ts";

// Without a top-level await, so that the bundle can be CommonJS.
void preflight(process.argv.slice(2), processIo(process)).then((code) => {
  process.exitCode = code;
});
