import { readFlags } from "../../src/flags.ts";
import type { Config } from "../../src/server/config.ts";

/** Reads the server's configuration from flags and environment. @throws {FunctionError} `InvalidFlags` */
export function configFrom(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  const config = readFlags(flags, env);
  if (typeof config === "string") throw new Error(`cannot serve: ${config} was asked for`);
  return config;
}
