import { serveCommand } from "../../src/serve/command.ts";
import { toConfig } from "../../src/serve/config.ts";
import { CommandLine, type Environment } from "../../src/serve/old/command-line.ts";
import type { Config } from "../../src/server/config.ts";

/** The server's configuration that flags and environment stand for. @throws {FunctionError} `InvalidFlags` */
export const configFrom = (flags: readonly string[], env: Environment = {}): Config =>
  toConfig(new CommandLine(flags, serveCommand, env));
