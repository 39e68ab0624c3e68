import { type ErrorRecord, errorFromRecord, errorToRecord, isKnownErrorClass } from './error-record.ts';
import { VALUE_DEPTH_MAX } from './limits.ts';
import { type Payload, payloadOf } from './payload.ts';
import { decodeTagged, type TagReader } from './tagged-decode.ts';
import { encodeBuiltIn, isPlainObject, tag } from './tagged-encode.ts';

/** One encoded value, and what about it could not be kept exactly, each `<JSON pointer> <reason>`. */
export interface EncodedValue {
  readonly payload: Payload;
  readonly lossy: readonly string[];
  /** JSON pointers of what was redacted; absent where nothing was. */
  readonly redacted?: readonly string[];
}

/** A class whose instances can be made again from their own fields. */
export type ValueClass = abstract new (...parameters: never[]) => object;

const valueClasses = new Map<string, ValueClass>();

/** Makes a user's class known, so that its instances come back as instances and are not lossy. */
export function registerValueClass(valueClass: ValueClass): void {
  valueClasses.set(valueClass.name, valueClass);
}

/** An own key "__proto__" must stay a key and not become the prototype. */
function setField(fields: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(fields, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    (fields as Record<string, unknown>)[key] = value;
  }
}

function escapePointer(key: string): string {
  if (!key.includes('~') && !key.includes('/')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Walks one value once; plain JSON stays as it is, everything else becomes a tagged node. */
class Encoder {
  readonly lossy: string[] = [];
  tagged = false;
  private readonly seen = new Map<object, number>();
  private readonly referenced = new Set<number>();
  /** The node made for each object, by its id; which node is which is only asked where something is shared. */
  private readonly nodes: unknown[] = [];
  private readonly idOfNode = new Map<unknown, number>();

  mark(pointer: string, reason: string): void {
    this.lossy.push(`${pointer === '' ? '/' : pointer} ${reason}`);
  }

  private tagNode(name: string, members: Record<string, unknown>): Record<string, unknown> {
    this.tagged = true;
    return tag(name, members);
  }

  encode(value: unknown, pointer: string, depth: number): unknown {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value;
    if (typeof value === 'function') return this.encodeFunction(value, pointer);
    if (typeof value !== 'object') return this.encodePrimitive(value, pointer);
    if (depth > VALUE_DEPTH_MAX) {
      this.mark(pointer, 'too-deep');
      return this.tagNode('handle', { class: 'too-deep' });
    }
    return this.encodeObject(value, pointer, depth);
  }

  private encodeFunction(value: object, pointer: string): unknown {
    this.mark(pointer, 'function');
    try {
      return this.tagNode('function', { name: String(Reflect.get(value, 'name')) });
    } catch (error) {
      return this.unreadable(error, pointer);
    }
  }

  private encodePrimitive(value: unknown, pointer: string): unknown {
    this.tagged = true;
    if (typeof value === 'undefined') return tag('undefined', {});
    if (typeof value === 'number') return tag('number', { value: Object.is(value, -0) ? '-0' : String(value) });
    if (typeof value === 'bigint') return tag('bigint', { value: value.toString() });
    const registered = typeof value === 'symbol' ? Symbol.keyFor(value) : undefined;
    if (registered !== undefined) return tag('symbol', { value: registered });
    this.mark(pointer, 'symbol');
    return tag('handle', { class: 'symbol' });
  }

  private encodeObject(value: object, pointer: string, depth: number): unknown {
    const known = this.seen.get(value);
    if (known !== undefined) {
      this.referenced.add(known);
      return this.tagNode('ref', { id: known });
    }
    const id = this.seen.size;
    this.seen.set(value, id);
    const node = this.encodeFresh(value, pointer, depth);
    this.nodes[id] = node;
    return node;
  }

  /** Names the nodes that something else refers to; a second pass, paid only where a value is shared or cyclic. */
  complete(tree: unknown): unknown {
    if (this.referenced.size === 0) return tree;
    this.nodes.forEach((node, id) => {
      this.idOfNode.set(node, id);
    });
    return this.finish(tree);
  }

  private finish(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    const id = this.idOfNode.get(node);
    const finished = Array.isArray(node) ? node.map((item) => this.finish(item)) : this.finishFields(node);
    return id !== undefined && this.referenced.has(id) ? tag('def', { id, value: finished }) : finished;
  }

  private finishFields(node: object): object {
    const finished = {};
    for (const [key, item] of Object.entries(node)) {
      setField(finished, key, this.finish(item));
    }
    return finished;
  }

  private encodeFresh(value: object, pointer: string, depth: number): unknown {
    try {
      if (Array.isArray(value)) return this.encodeArray(value, pointer, depth);
      if (isPlainObject(value)) return this.encodeFields(value, pointer, depth, undefined);
      if (value instanceof Error || value instanceof DOMException) return this.encodeError(value, pointer, depth);
      const builtIn = encodeBuiltIn(value, (item, step) => this.encode(item, `${pointer}/${step}`, depth + 1));
      if (builtIn !== undefined) {
        this.tagged = true;
        return builtIn;
      }
      return this.encodeInstance(value, pointer, depth);
    } catch (error) {
      return this.unreadable(error, pointer);
    }
  }

  private unreadable(error: unknown, pointer: string): unknown {
    this.mark(pointer, `unreadable (${error instanceof Error ? error.message : String(error)})`);
    return this.tagNode('handle', { class: 'unreadable' });
  }

  private encodeArray(value: readonly unknown[], pointer: string, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      items.push(
        index in value ? this.encode(value[index], `${pointer}/${index}`, depth + 1) : this.tagNode('hole', {}),
      );
    }
    return items;
  }

  private encodeFields(value: object, pointer: string, depth: number, className: string | undefined): unknown {
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = this.readField(value, key, `${pointer}/${escapePointer(key)}`, depth);
      setField(fields, key, item);
    }
    if (className === undefined && Object.getPrototypeOf(value) !== null && !('$' in fields)) return fields;
    const kind = Object.getPrototypeOf(value) === null ? { nullPrototype: true } : {};
    return this.tagNode('object', { ...(className === undefined ? kind : { class: className }), fields });
  }

  private readField(value: object, key: string, pointer: string, depth: number): unknown {
    try {
      return this.encode((value as Record<string, unknown>)[key], pointer, depth + 1);
    } catch (error) {
      return this.unreadable(error, pointer);
    }
  }

  private encodeError(value: Error, pointer: string, depth: number): unknown {
    const record = this.errorRecord(value, pointer, depth);
    return this.tagNode('error', { record });
  }

  errorRecord(value: Error, pointer: string, depth: number): ErrorRecord {
    const record = errorToRecord(value, pointer, {
      encode: (item, step) => this.encode(item, step, depth + 1),
      decode: (item) => item,
    });
    if (!isKnownErrorClass(record.class)) this.mark(pointer, `error-class ${record.class}`);
    return record;
  }

  private encodeInstance(value: object, pointer: string, depth: number): unknown {
    const className = value.constructor?.name ?? 'Object';
    if (isHandle(value)) {
      this.mark(pointer, `handle ${className}`);
      return this.tagNode('handle', { class: className });
    }
    if (valueClasses.get(className) !== value.constructor) this.mark(pointer, `class ${className}`);
    return this.encodeFields(value, pointer, depth, className);
  }
}

/** Live things whose state is not in their own fields. */
function isHandle(value: object): boolean {
  const handles = [
    'Promise',
    'WeakMap',
    'WeakSet',
    'WeakRef',
    'ReadableStream',
    'WritableStream',
    'Response',
    'Request',
    'Blob',
  ];
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return handles.includes(name) || typeof (value as { pipe?: unknown }).pipe === 'function';
}

/**
 * Encodes any value as text: plain JSON where the value is plain JSON, else tagged JSON (docs/adr/0004). Never throws;
 * what cannot be kept is named in `lossy`.
 */
export function encodeValue(value: unknown): EncodedValue {
  const encoder = new Encoder();
  const tree = encoder.complete(encoder.encode(value, '', 0));
  const text = JSON.stringify(tree);
  return { payload: payloadOf(encoder.tagged ? 'js' : 'json', text), lossy: encoder.lossy };
}

/** How values are made again. */
export interface DecodeOptions {
  /** Makes what stands for a recorded function, whose code is gone. Default: undefined stands for it. */
  readonly callable?: (name: string) => unknown;
}

const tagReader: TagReader = {
  callable: () => undefined,
  error: (record, decode) => errorFromRecord(record as ErrorRecord, { encode: (item) => item, decode }),
  instance: (className, fields) => {
    const valueClass = valueClasses.get(className);
    if (valueClass === undefined) return fields;
    return Object.defineProperties(
      Object.create(valueClass.prototype as object),
      Object.getOwnPropertyDescriptors(fields),
    );
  },
};

/**
 * Makes a recorded value again. A fresh value each time: what a caller mutates never reaches the recording.
 * Throws a SyntaxError where the text is not what its format says; callers check the digest first.
 */
export function decodeValue(payload: Payload, options: DecodeOptions = {}): unknown {
  const data = payload.data ?? 'null';
  switch (payload.format) {
    case 'json':
      return JSON.parse(data);
    case 'js':
      return decodeTagged(JSON.parse(data), { ...tagReader, ...options });
    case 'text':
      return data;
    case 'base64':
      return Buffer.from(data, 'base64');
  }
}
