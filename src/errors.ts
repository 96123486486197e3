/** The kind of an error, for code that handles it; the message is for people. */
export type ErrorCode =
  | "InvalidFieldPath" // a path in the input does not parse, or leads through a value that is neither object nor list
  | "InvalidInput" // the input is wrong: the message lists all faults
  | "InvalidMessage" // the request's bytes are not a RunFunctionRequest
  | "InvalidResponse" // the response cannot be encoded, e.g. NaN in a Struct
  | "InvalidFlags" // the command line or the environment is wrong
  | "CannotServe"; // the server cannot start: its certificates or address cannot be used

/** The only error that this function throws on purpose. Its message names the fault, the place and the input. */
export class FunctionError extends Error {
  override readonly name = "FunctionError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs a function, and returns its result or the FunctionError that it throws. */
export function attempt<T>(run: () => T): T | FunctionError {
  try {
    return run();
  } catch (error) {
    if (error instanceof FunctionError) return error;
    throw error;
  }
}
