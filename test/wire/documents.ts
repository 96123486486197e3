import { WireDocument } from "../../src/wire/document.ts";
import { toBytes } from "../../src/wire/slice.ts";

/** A document of exactly these bytes. */
export const wireDocument = (bytes: Buffer): WireDocument =>
  new WireDocument({ bytes: toBytes(bytes), start: 0, end: bytes.length });

export const read = (bytes: Buffer) => wireDocument(bytes).toObject();
