import type { SecretName } from "../../src/crossplane/copies.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import { DNS_LABEL, isName } from "../../src/model/names.ts";
import { explainClusterError, readClusterFlags } from "../cluster.ts";
import type { CommandLine } from "../command-line.ts";
import { toRun } from "../run.ts";
import { toPair } from "../values.ts";
import { type RegistryFlagName, registryCommand, verbs } from "./command.ts";
import { type ConsumersOptions, listConsumers } from "./consumers.ts";
import { formats } from "./format.ts";
import { type ListOptions, listAll } from "./list.ts";
import { type WhoOwnsOptions, whoOwns } from "./who-owns.ts";

/** `registry list`, `registry who-owns` and `registry consumers`. */
export const run = toRun(
  registryCommand,
  (line, host) => {
    const asked = readRegistryLine(line);
    switch (asked.is) {
      case "list":
        return listAll(asked, host);
      case "who-owns":
        return whoOwns(asked, host);
      case "consumers":
        return listConsumers(asked, host);
    }
  },
  explainClusterError,
);

type Line = CommandLine<RegistryFlagName>;

type Asked =
  | ({ readonly is: "list" } & ListOptions)
  | ({ readonly is: "who-owns" } & WhoOwnsOptions)
  | ({ readonly is: "consumers" } & ConsumersOptions);

/** @throws {FunctionError} `InvalidFlags` */
function readRegistryLine(line: Line): Asked {
  const verb = verbs.find((known) => known === line.arguments[0]);
  if (verb !== undefined) line.restrictTo(verb, registryCommand.name);
  const options = {
    ...readClusterFlags(line),
    format: line.choice("output", formats),
    namespace: line.optionalText("namespace"),
  };
  if (verb === "who-owns") return readWhoOwns(line, options);
  if (verb === "consumers") return readConsumers(line, options);
  if (verb === undefined) line.addFault(explainVerb(line.arguments[0]));
  return line.finish({
    is: "list" as const,
    names: line.arguments.slice(1),
    isContended: line.isOn("contended"),
    ...options,
  });
}

function readWhoOwns<Options extends object>(line: Line, options: Options) {
  return line.finish({
    is: "who-owns" as const,
    ...readKindAndName(line, "who-owns"),
    scope: line.values("scope", toPair, "FIELD=VALUE, such as region=eu-west-1"),
    providerConfig: line.optionalText("provider-config"),
    ...options,
  });
}

function readConsumers<Options extends object>(line: Line, options: Options) {
  const secret = line.isGiven("secret") ? line.value("secret", toSecretName, "NAMESPACE/NAME") : undefined;
  return line.finish({ is: "consumers" as const, ...readKindAndName(line, "consumers"), secret, ...options });
}

function toSecretName(text: string): SecretName | undefined {
  const [namespace = "", name = ""] = splitSlash(text);
  return DNS_LABEL.test(namespace) && isName(name) ? { namespace, name } : undefined;
}

function readKindAndName(line: Line, verb: string) {
  const rest = line.arguments.slice(1);
  const [kind = "", name = "", ...more] = rest.length === 1 ? splitSlash(rest[0] ?? "") : rest;
  if (kind === "" || name === "" || more.length > 0) line.addFault(`expected ${verb} KIND NAME`);
  return { kind, name };
}

function explainVerb(found: string | undefined): string {
  const expected = `expected ${verbs.join(", ").replace(/, (?=[^,]*$)/, " or ")}`;
  if (found === undefined) return `${expected}; found nothing`;
  return `${expected}; found ${JSON.stringify(found)}${didYouMean(found, verbs)}`;
}

/** Splits `bucket/orders`, as kubectl takes it. */
function splitSlash(text: string): readonly string[] {
  const at = text.indexOf("/");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
