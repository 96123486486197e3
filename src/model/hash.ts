import { hash } from "node:crypto";

/**
 * Hashes a text: the first digits of its SHA-256, in hexadecimal. Labels, annotations and names of requirements hold such hashes, so
 * neither the digits nor their number may change for a text that is hashed already.
 *
 * @param length the number of digits, four bits each; all 64 by default.
 */
export const hashText = (text: string, length = 64): string => hash("sha256", text).slice(0, length);
