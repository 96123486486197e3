/** A failed render. Joined by colons, its message and those of its causes read like the CLI's own errors. */
export class RenderError extends Error {
  override readonly name = "RenderError";
}

/** Runs `action`, and wraps what it throws in an error that says what was being done. */
export function whileDoing<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new RenderError(what, { cause });
  }
}

/** Like `whileDoing`, for asynchronous actions. */
export async function whileAwaiting<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new RenderError(what, { cause });
  }
}

/** The error and its causes on one line: `cannot render composite resource: cannot run pipeline step "a": …`. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.trimEnd();
  return error instanceof RenderError && error.cause !== undefined ? `${message}: ${explain(error.cause)}` : message;
}
