/** The kind of an error, for code that decides how to go on; people read the message. */
export type ErrorCode =
  | "InvalidFieldPath" // a path in the input does not parse, or leads through something that is no object or list
  | "InvalidInput" // the input's faults, all of them in one message
  | "InvalidMessage" // the request's bytes are not the message that the protocol promises
  | "InvalidResponse" // what we were about to return cannot be represented, e.g. NaN in a Struct
  | "InvalidFlags" // the command line or the environment
  | "CannotServe"; // certificates, address: the server cannot start

/** The only error that this function throws on purpose. Its message says what, where and for which input. */
export class FunctionError extends Error {
  override readonly name = "FunctionError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
