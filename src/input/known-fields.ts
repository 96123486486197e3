import type * as z from "zod";

/** The parts of zod's definitions that lead to other schemas. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

/** Lists the fields that a schema knows in the object at a path; empty where it knows no object there. */
export function listFields(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape, element, valueType, innerType, in: input, options } = schema._zod.def as Definition;
  const wrapped = innerType ?? input;
  if (wrapped !== undefined) return listFields(wrapped, path);
  if (options !== undefined) return options.flatMap((option) => listFields(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(shape ?? {});
  const next = shape?.[String(step)] ?? element ?? valueType;
  return next === undefined ? [] : listFields(next, rest);
}
