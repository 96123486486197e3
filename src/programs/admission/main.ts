#!/usr/bin/env node
import { processIo } from "../process.ts";
import { admission } from "./admission.ts";

const stopped = new Promise<string>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
});

// Without a top-level await, so that the bundle can be CommonJS.
void admission(process.argv.slice(2), { ...processIo(process), env: process.env, stopped, log: process.stderr }).then(
  (code) => {
    process.exitCode = code;
  },
);
