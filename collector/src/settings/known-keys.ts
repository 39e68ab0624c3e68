import { closestName } from '@reenact/trace-model';
import { z } from 'zod';

/** The schema without what only says that a value may be missing, and, of a list, that of its members. */
function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return bare(schema.unwrap());
  }
  return schema instanceof z.ZodArray ? bare(schema.element) : schema;
}

function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
  const object = bare(schema);
  return object instanceof z.ZodObject ? object.shape : {};
}

/** The keys that an object at this place of a configuration can have. */
export function keysAt(schema: z.ZodObject, path: readonly PropertyKey[]): readonly string[] {
  const place = path.reduce<unknown>(
    (at, step) => (typeof step === 'number' ? at : membersOf(at)[String(step)]),
    schema,
  );
  return Object.keys(membersOf(place));
}

/** The key that was most likely meant, by its whole path: one elsewhere with the same name, or one close by with a similar one. */
export function suggestKey(schema: z.ZodObject, path: readonly PropertyKey[], key: string): string | undefined {
  if (Object.hasOwn(schema.shape, key)) return key;
  const elsewhere = Object.keys(schema.shape).find((part) => keysAt(schema, [part]).includes(key));
  if (elsewhere !== undefined) return `${elsewhere}.${key}`;
  const close = closestName(key, keysAt(schema, path));
  return close === undefined ? undefined : [...path, close].join('.');
}
