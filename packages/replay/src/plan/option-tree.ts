import { canonicalJson, encodeValue, payloadTree, ReenactError } from '@reenact/trace-model';
import type { EditRule } from './plan-schema.ts';

/** JSON of the value, where JSON says all of it; undefined for everything else. */
function plainJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    const copy: unknown = text === undefined ? undefined : JSON.parse(text);
    // The codec tags what JSON cannot say, and a value that holds one object twice; of the copy, only the former is left.
    const tree = payloadTree(encodeValue(copy).payload);
    return canonicalJson(tree) === canonicalJson(payloadTree(encodeValue(structuredCopy(value)).payload))
      ? tree
      : undefined;
  } catch {
    return undefined;
  }
}

/** The value with nothing in it twice: lists and plain objects are copied, everything else stays. Throws on a cycle. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]));
}

/**
 * A value from code as a plan holds it: JSON, else the tagged form of docs/adr/0004. Throws ReenactError `bad-plan` where one
 * object is in it twice and JSON cannot say it: inside a recorded value such references would point elsewhere.
 */
export function optionTree(value: unknown, at: string): EditRule['value'] {
  const plain = plainJson(value);
  if (plain !== undefined) return plain as EditRule['value'];
  const text = encodeValue(value).payload.data ?? 'null';
  if (!text.includes('"$":"def"')) return JSON.parse(text) as EditRule['value'];
  throw new ReenactError('bad-plan', `The new value of "${at}" holds one object twice, or itself.`, {
    where: at,
    next: 'Give each place in it an object of its own.',
  });
}
