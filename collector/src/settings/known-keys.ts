import { meantNames } from '@reenact/trace-model';
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

/**
 * The keys that were most likely meant, by their whole path: those elsewhere with the same name, those close by with a similar one, or, of one at the top,
 * those of a part.
 */
export function suggestKeys(schema: z.ZodObject, path: readonly PropertyKey[], key: string): readonly string[] {
  if (Object.hasOwn(schema.shape, key)) return [key];
  const inParts = Object.keys(schema.shape).flatMap((part) =>
    keysAt(schema, [part]).map((member) => `${part}.${member}`),
  );
  const nameOf = (whole: string): string => whole.slice(whole.indexOf('.') + 1);
  const elsewhere = inParts.filter((whole) => nameOf(whole) === key);
  if (elsewhere.length > 0) return elsewhere;
  const close = meantNames(key, keysAt(schema, path));
  if (close.length > 0 || path.length > 0) return close.map((name) => [...path, name].join('.'));
  const meant = new Set(meantNames(key, new Set(inParts.map(nameOf))));
  return inParts.filter((whole) => meant.has(nameOf(whole)));
}
