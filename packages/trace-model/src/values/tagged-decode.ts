import { isTree } from '../json/json-tree.ts';

/** Makes what only the value codec knows how to make. */
export interface TagReader {
  error(record: unknown, decode: (tagged: unknown) => unknown): unknown;
  instance(className: string, fields: object): object;
  /** Undefined for a class that nobody named. */
  classNamed(className: string): unknown;
  /** Makes an instance of its fields, where a library must; undefined where an instance is filled with them. */
  makerOf(className: string): ((fields: object) => object) | undefined;
  /** Fields that do not show when an instance is looked through. */
  hidden(instance: object): readonly string[];
  /** Accessors by which an instance is told what it keeps under symbols. */
  accessors(instance: object): readonly string[];
  /** What stands for a function, which has a name and no code any more. */
  callable(name: string): unknown;
}

type Node = Record<string, unknown>;

const byteClasses: Record<string, (bytes: Uint8Array) => unknown> = {
  Buffer: (bytes) => Buffer.from(bytes),
  ArrayBuffer: (bytes) => copyOf(bytes),
  DataView: (bytes) => new DataView(copyOf(bytes)),
  Uint8Array: (bytes) => new Uint8Array(bytes),
  Uint8ClampedArray: (bytes) => new Uint8ClampedArray(bytes),
  Int8Array: (bytes) => new Int8Array(copyOf(bytes)),
  Uint16Array: (bytes) => new Uint16Array(copyOf(bytes)),
  Int16Array: (bytes) => new Int16Array(copyOf(bytes)),
  Uint32Array: (bytes) => new Uint32Array(copyOf(bytes)),
  Int32Array: (bytes) => new Int32Array(copyOf(bytes)),
  ...float16(),
  Float32Array: (bytes) => new Float32Array(copyOf(bytes)),
  Float64Array: (bytes) => new Float64Array(copyOf(bytes)),
  BigInt64Array: (bytes) => new BigInt64Array(copyOf(bytes)),
  BigUint64Array: (bytes) => new BigUint64Array(copyOf(bytes)),
};

/** Not every Node.js that is supported has it. */
function float16(): typeof byteClasses {
  const Float16: unknown = Reflect.get(globalThis, 'Float16Array');
  if (typeof Float16 !== 'function') return {};
  return { Float16Array: (bytes) => Reflect.construct(Float16, [copyOf(bytes)]) };
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

function isFunction(node: unknown, name: string): boolean {
  return isTree(node) && node.$ === 'function' && node.name === name;
}

class Decoder {
  private readonly byId = new Map<number, unknown>();
  private readonly reader: TagReader;

  constructor(reader: TagReader) {
    this.reader = reader;
  }

  decode(tree: unknown, id?: number): unknown {
    if (Array.isArray(tree)) return this.decodeArray(tree, id);
    if (!isTree(tree)) return tree;
    if (typeof tree.$ !== 'string') return this.fill(this.keep({}, id), tree);
    return this.decodeTag(tree, id);
  }

  /** Registered before its members are read, so that a cycle finds it. */
  private keep<Kept>(value: Kept, id: number | undefined): Kept {
    if (id !== undefined) this.byId.set(id, value);
    return value;
  }

  private decodeArray(tree: readonly unknown[], id: number | undefined): unknown[] {
    const array: unknown[] = this.keep([], id);
    this.fillItems(array, tree);
    return array;
  }

  private fillItems(array: unknown[], tree: readonly unknown[]): void {
    array.length = tree.length;
    tree.forEach((item, index) => {
      if (!(isTree(item) && item.$ === 'hole')) array[index] = this.decode(item);
    });
  }

  /** One with members of its own, or with so many holes that its items are listed by their indexes. */
  private decodeUnusualArray(node: Node, id: number | undefined): object {
    const array: unknown[] = this.keep([], id);
    if (Array.isArray(node.items)) this.fillItems(array, node.items);
    else array.length = Number(node.length);
    for (const [index, item] of (node.entries ?? []) as [number, unknown][]) array[index] = this.decode(item);
    return this.fill(array, isTree(node.fields) ? node.fields : {});
  }

  private fill(target: object, fields: Node): object {
    for (const [key, item] of Object.entries(fields)) {
      Object.defineProperty(target, key, {
        value: this.decode(item),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return target;
  }

  private decodeTag(node: Node, id: number | undefined): unknown {
    switch (node.$) {
      case 'def':
        return this.decode(node.value, Number(node.id));
      case 'ref':
        return this.byId.get(Number(node.id));
      case 'array':
        return this.decodeUnusualArray(node, id);
      case 'form-data': {
        const form = this.keep(new FormData(), id);
        for (const [name, item] of node.entries as [string, unknown][]) {
          const value = this.decode(item);
          // Nothing stands for a file that could not be read.
          if (typeof value === 'string' || value instanceof Blob) form.append(name, value as Blob);
        }
        return form;
      }
      case 'map': {
        const map: Map<unknown, unknown> = this.keep(new Map(), id);
        for (const [key, item] of node.entries as [unknown, unknown][]) map.set(this.decode(key), this.decode(item));
        return map;
      }
      case 'set': {
        const set: Set<unknown> = this.keep(new Set(), id);
        for (const item of node.values as unknown[]) set.add(this.decode(item));
        return set;
      }
      case 'object':
        return this.decodeObject(node, id);
      case 'function':
        return this.keep(this.reader.callable(String(node.name)), id);
      case 'error':
        return this.keep(
          this.reader.error(node.record, (tagged) => this.decode(tagged)),
          id,
        );
      default:
        return this.keep(decodeLeaf(node), id);
    }
  }

  private decodeObject(node: Node, id: number | undefined): unknown {
    const fields = isTree(node.fields) ? node.fields : {};
    if (typeof node.class !== 'string') {
      const target = node.nullPrototype === true ? Object.create(null) : {};
      return this.fill(this.keep(target as object, id), fields);
    }
    const make = this.reader.makerOf(node.class);
    if (make !== undefined) return this.keep(make(this.fill({}, fields)), id);
    // An empty instance first, so that a field that points back at it finds the instance.
    const instance = this.keep(this.reader.instance(node.class, {}), id);
    this.fill(instance, fields);
    if (isFunction(fields.constructor, node.class)) {
      const known = this.reader.classNamed(node.class);
      if (known !== undefined) Object.assign(instance, { constructor: known });
    }
    for (const key of this.reader.accessors(instance)) {
      if (!Object.hasOwn(instance, key)) continue;
      const value: unknown = Reflect.get(instance, key);
      Reflect.deleteProperty(instance, key);
      Reflect.set(instance, key, value);
    }
    for (const key of this.reader.hidden(instance)) {
      Object.defineProperty(instance, key, { enumerable: false });
    }
    return instance;
  }
}

function decodeLeaf(node: Node): unknown {
  const value = node.value;
  switch (node.$) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(value);
    case 'bigint':
      return BigInt(String(value));
    case 'symbol':
      return Symbol.for(String(value));
    case 'date':
      return new Date(value === null ? Number.NaN : String(value));
    case 'regexp':
      return Object.assign(new RegExp(String(node.source), String(node.flags)), {
        lastIndex: Number(node.lastIndex),
      });
    case 'url':
      return new URL(String(value));
    case 'url-search-params':
      return new URLSearchParams(String(value));
    case 'headers':
      return new Headers(node.entries as [string, string][]);
    case 'bytes': {
      const bytes = Buffer.from(String(node.base64), 'base64');
      if (node.class === 'Blob' || node.class === 'File') return decodeBlob(node, bytes);
      return (byteClasses[String(node.class)] ?? byteClasses.Uint8Array)?.(bytes);
    }
    case 'temporal':
      return decodeTemporal(String(node.class), value);
    case 'boxed':
      return Object(decodeBoxed(value));
    default:
      return undefined;
  }
}

function decodeBlob({ class: name, ...node }: Node, bytes: Uint8Array<ArrayBuffer>): Blob {
  const type = String(node.type);
  if (name === 'Blob') return new Blob([bytes], { type });
  return new File([bytes], String(node.name), { type, lastModified: Number(node.lastModified) });
}

/** Not every Node.js that is supported has these classes; undefined stands for what none can be made of. */
function decodeTemporal(name: string, value: unknown): unknown {
  const classes: unknown = Reflect.get(globalThis, 'Temporal');
  const known: unknown = typeof classes === 'object' && classes !== null ? Reflect.get(classes, name) : undefined;
  const from: unknown = typeof known === 'function' ? Reflect.get(known, 'from') : undefined;
  return typeof from === 'function' ? (Reflect.apply(from, known, [value]) as unknown) : undefined;
}

function decodeBoxed(value: unknown): unknown {
  return isTree(value) ? decodeLeaf(value) : value;
}

/** Makes the value a tagged JSON tree stands for. Unknown tags and live handles come back as undefined. */
export function decodeTagged(tree: unknown, reader: TagReader): unknown {
  return new Decoder(reader).decode(tree);
}
