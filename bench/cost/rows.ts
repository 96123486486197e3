import { adoptionRows } from "./adoption.ts";
import { consumerRows } from "./consumers.ts";
import { allRows, externalNameRows, publishRows } from "./others.ts";
import type { Row } from "./row.ts";
import { sharingRows } from "./sharing.ts";
import { tagRows } from "./tags.ts";

/** Every list, text and map that a tenant or an owner writes, a row each. */
export const rows: readonly Row[] = [
  ...sharingRows,
  ...consumerRows,
  ...tagRows,
  ...adoptionRows,
  ...externalNameRows,
  ...publishRows,
  ...allRows,
];
