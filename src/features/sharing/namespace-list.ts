/** Reads an annotation that lists namespaces, separated by commas. Once for all namespaces: it may be long. */
export const toNamespaceSet = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? "").split(",").map((name) => name.trim()));
