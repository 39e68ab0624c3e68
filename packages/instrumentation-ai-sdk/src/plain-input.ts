import { INPUT_DEPTH_MAX } from './limits.ts';

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A copy without the members that are undefined, of which the AI SDK sets many: what is left is plain JSON, but for bytes,
 * addresses and other instances, which stay the very objects.
 */
export function plainInput(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > INPUT_DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => plainInput(item, depth + 1));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, plainInput(member, depth + 1)]),
  );
}
