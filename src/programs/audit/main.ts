#!/usr/bin/env node
import { processIo } from "../process.ts";
import { audit } from "./audit.ts";

// Without a top-level await, so that the bundle can be CommonJS.
void audit(process.argv.slice(2), processIo(process)).then((code) => {
  process.exitCode = code;
});
