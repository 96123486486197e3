import { parseAllDocuments } from "yaml";

/** The result of a CLI: the YAML documents it printed, or the text of the error it failed with. */
export interface Rendering {
  readonly is: "yaml" | "txt";
  /** As it was printed. */
  readonly text: string;
}

/** A rendering without what its text alone has: layout, quotes and the order of keys. */
export type Meaning =
  | { readonly is: "yaml"; readonly documents: readonly unknown[] }
  | { readonly is: "txt"; readonly text: string };

export const toMeaning = ({ is, text }: Rendering): Meaning =>
  is === "yaml" ? { is, documents: parseAllDocuments(text).map((document) => document.toJS()) } : { is, text };

/**
 * The reason why a pipeline failed, from its step on: each CLI puts other words before that, and indents the lines that follow by the
 * width of its own prefix.
 */
export function toFailure(stderr: string): Rendering {
  const start = stderr.indexOf('pipeline step "');
  const [first = "", ...rest] = stderr.slice(Math.max(start, 0)).trimEnd().split("\n");
  const margin = Math.min(...rest.map((line) => line.search(/\S|$/)));
  return { is: "txt", text: [first, ...rest.map((line) => `  ${line.slice(margin)}`), ""].join("\n") };
}

/**
 * The same YAML with what is random about it in order: Crossplane v2.3 goes through a Go map when it reports the composed
 * resources that are not ready.
 */
export function inOrder(yaml: string): string {
  const documents = yaml.split(/^(?=---\n)/m);
  const isReport = (document: string): boolean => /^message: .?Composed resource /m.test(document);
  const reports = documents.filter(isReport).sort();
  return documents.map((document) => (isReport(document) ? reports.shift() : document)).join("");
}
