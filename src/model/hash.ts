import { hash } from "node:crypto";

/** Computes hexadecimal digits of a text's SHA-256. Never to be changed: labels and annotations contain such hashes. */
export const hashText = (text: string, length = 64): string => hash("sha256", text).slice(0, length);
