import { hash } from "node:crypto";

/**
 * Hashes a text: the first hexadecimal digits of its SHA-256. Never to be changed: labels and annotations contain such hashes.
 *
 * @param length the number of digits, four bits each; all 64 by default.
 */
export const hashText = (text: string, length = 64): string => hash("sha256", text).slice(0, length);
