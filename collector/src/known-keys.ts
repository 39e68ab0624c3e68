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

/** The key that was most likely meant, by its whole path: one close by with a similar name, or one elsewhere with the same. */
export function suggestKey(schema: z.ZodObject, path: readonly PropertyKey[], key: string): string | undefined {
  const close = closestName(key, keysAt(schema, path));
  if (close !== undefined) return [...path, close].join('.');
  const [elsewhere] = Object.keys(schema.shape).filter((part) => keysAt(schema, [part]).includes(key));
  if (elsewhere !== undefined) return `${elsewhere}.${key}`;
  return Object.keys(schema.shape).find((other) => other === key);
}
