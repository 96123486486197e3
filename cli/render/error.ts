/** A failed render. Joined by colons, its message and those of its causes read like the CLI's own errors. */
export class RenderError extends Error {
  override readonly name = "RenderError";
}

/** Runs `action`, synchronous or not, and wraps its error in one that begins with `what`. */
export function whileDoing<T>(what: string, action: () => T): T {
  const fail = (cause: unknown): never => {
    throw new RenderError(what, { cause });
  };
  try {
    const result = action();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (cause) {
    return fail(cause);
  }
}

/** The error and its causes on one line: `cannot render composite resource: cannot run pipeline step "a": …`. */
export function explainRenderError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.trimEnd();
  const hasCause = error instanceof RenderError && error.cause !== undefined;
  return hasCause ? `${message}: ${explainRenderError(error.cause)}` : message;
}
