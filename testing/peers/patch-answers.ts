import { readFileSync } from "node:fs";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { PatchCase } from "./patch-and-transform.ts";

/** One transform of one value, and the answer of function-patch-and-transform v0.5.0: undefined where it fails. */
export interface PatchAnswer {
  readonly title: string;
  readonly patch: PatchCase;
  readonly answer: JsonValue | undefined;
}

type Table = "formats" | "quantities" | "conversions" | "strings" | "calculations";

interface Recorded {
  /** What is done, to what, and what comes out. */
  readonly answers: readonly (readonly [JsonValue, JsonValue, JsonValue])[];
  /** What is done, and to what it cannot be done. */
  readonly faults: readonly (readonly [JsonValue, JsonValue])[];
}

const file = new URL("patch-and-transform.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<Table, Recorded>>;

const toTransform: Readonly<Record<Table, (key: JsonValue) => JsonObject>> = {
  formats: (fmt) => ({ type: "string", string: { type: "Format", fmt } }),
  quantities: () => ({ type: "convert", convert: { toType: "float64", format: "quantity" } }),
  conversions: (key) => {
    const [toType = "", format = "none"] = String(key).split(" as ");
    return { type: "convert", convert: { toType, format } };
  },
  strings: (string) => ({ type: "string", string }),
  calculations: (math) => ({ type: "math", math }),
};

export const patchAnswers: readonly PatchAnswer[] = Object.entries(recorded).flatMap(([table, { answers, faults }]) =>
  [...answers, ...faults].map(([key, value, answer]) => toPatchAnswer(table as Table, key, value, answer)),
);

/** `{int64: 5}` stands for 5 after a conversion: every number of an XR is a float64. */
function toPatchAnswer(table: Table, key: JsonValue, value: JsonValue, answer: JsonValue | undefined): PatchAnswer {
  const int64 = isObject(value) ? value["int64"] : undefined;
  const first = int64 === undefined ? [] : [{ type: "convert", convert: { toType: "int64" } }];
  return {
    title: `${table}: ${JSON.stringify(key)} of ${JSON.stringify(value)} ${answer === undefined ? "fails" : `is ${JSON.stringify(answer)}`}`,
    patch: {
      status: { v: int64 ?? value },
      spec: { to: "before" },
      fromFieldPath: "status.v",
      toFieldPath: "spec.to",
      transforms: [...first, toTransform[table](key)],
    },
    answer,
  };
}
