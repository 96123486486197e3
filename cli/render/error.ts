/** A failed render. Its message ends with those of its causes, joined by colons, like the CLI's own errors. */
export class RenderError extends Error {
  override readonly name = "RenderError";
}

/** Runs `action`, synchronous or not, and wraps its error in one that begins with `what`. */
export function whileDoing<T>(what: string, action: () => T): T {
  const fail = (cause: unknown): never => {
    const message = cause instanceof Error ? cause.message.trimEnd() : String(cause);
    throw new RenderError(`${what}: ${message}`, { cause });
  };
  try {
    const result = action();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (cause) {
    return fail(cause);
  }
}
