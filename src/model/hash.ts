import { hash } from "node:crypto";

/** Computes a text's SHA-256 in hexadecimal digits. Must never change: labels and annotations contain such hashes. */
export const hashText = (text: string, length = 64): string => hash("sha256", text).slice(0, length);
