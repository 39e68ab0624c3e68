import { isKnownInstance } from '@reenact/trace-model';

function isInstance(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype !== null && prototype !== Object.prototype;
}

function plainColumn(column: object): object {
  const toJSON: unknown = Reflect.get(column, 'toJSON');
  // Column definitions hold the packet they were read from, and say what matters when they are asked for JSON.
  return { ...((typeof toJSON === 'function' ? Reflect.apply(toJSON, column, []) : column) as object) };
}

/** Rows, headers and columns of mysql2 as plain objects; the driver makes a class for each result. Nothing of a command under way. */
export function plainMysqlResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plainMysqlResult);
  if (typeof result !== 'object' || result === null || !isInstance(result)) return result;
  if (typeof Reflect.get(result, 'emit') === 'function') return undefined;
  if ('columnType' in result) return plainColumn(result);
  if (isKnownInstance(result)) return result;
  // What a server says of itself as it is connected to.
  return /(?:Row|Header|Handshake)$/.test(result.constructor.name) ? { ...result } : result;
}
