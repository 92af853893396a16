/**
 * Pieces of input schemas. Models send numbers and booleans as strings now and then; that is harmless and accepted. Anything else that
 * does not fit is an error that names the key.
 */
import * as z from 'zod';

function fromNumericString(value: unknown): unknown {
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
}

function fromBooleanString(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : value;
}

/** An optional whole number of at least `min`. Null counts as absent: some models fill every key. */
export function wholeNumber(description: string, min = 0, max?: number) {
  const number = z.number().int().min(min);
  return z
    .preprocess(
      (value) => fromNumericString(value ?? undefined),
      (max === undefined ? number : number.max(max)).optional(),
    )
    .optional()
    .describe(description);
}

export function flag(description: string) {
  return z
    .preprocess((value) => fromBooleanString(value ?? undefined), z.boolean().optional())
    .optional()
    .describe(description);
}

export function optionalText(description: string) {
  return z
    .preprocess((value) => value ?? undefined, z.string().optional())
    .optional()
    .describe(description);
}

export function filePath(description: string) {
  return z.string().min(1).describe(description);
}

/** The schema that the model is sent. */
export function jsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    // Zod bounds every integer by what JavaScript can count; that tells the model nothing.
    override: ({ jsonSchema: part }) => {
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
    },
  });
  return rest;
}
