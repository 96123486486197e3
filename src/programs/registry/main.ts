#!/usr/bin/env node
import { processIo } from "../process.ts";
import { registry } from "./registry.ts";

// Without a top-level await, so that the bundle can be CommonJS.
void registry(process.argv.slice(2), processIo(process)).then((code) => {
  process.exitCode = code;
});
