import { hash } from "node:crypto";

/**
 * Hashes a text: the first digits of its SHA-256, in hexadecimal. Labels, annotations and requirement names contain such hashes,
 * so their digits and lengths must not change.
 *
 * @param length the number of digits, four bits each; all 64 by default.
 */
export const hashText = (text: string, length = 64): string => hash("sha256", text).slice(0, length);
