#!/usr/bin/env node
import { run } from "./cli.ts";
import { toHost } from "./host.ts";

/** `kubectl_complete-shared_infrastructure`: kubectl runs it with the words after its plugin's name. */
void run(["complete", "--", ...process.argv.slice(2)], toHost(process));
