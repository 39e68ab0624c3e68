import { ARRAY_HOLES_MAX, CUTS_TOLD_MAX, HIDDEN_DEPTH_MAX, VALUE_DEPTH_MAX, VALUE_OBJECTS_MAX } from '../limits.ts';
import { type Payload, stringifiedPayload } from '../payloads/payload.ts';
import { hasHiddenArrayMembers, unusualShape } from './array-shape.ts';
import { classFinder } from './class-finder.ts';
import { type ErrorRecord, errorFromRecord, errorToRecord, isOfKnownErrorClass } from './error-record.ts';
import { decodeTagged, type TagReader } from './tagged-decode.ts';
import {
  builtInName,
  encodeBuiltIn,
  hasOwnMembers,
  isError,
  isForeignTime,
  isPlainObject,
  isSharedMemory,
  isWithoutOwnSymbols,
  tag,
} from './tagged-encode.ts';
import {
  accessorsOf,
  hasHiddenMembers,
  hasSymbolMembers,
  hiddenFieldsOf,
  isKnownInstance,
  ownClassOf,
  valueClassNamed,
} from './value-classes.ts';

/** Reason of the lossy marks for an answer of a model, as its client made it, without its `_request_id`: all that did not show of it. */
const REQUEST_ID_MARK = 'request-id';

/** What a lossy mark says, before the reason in parentheses, of what threw when it was read. The reason is a text of the host's. */
export const UNREADABLE_MARK = 'unreadable ';

/** One encoded value, and what about it could not be kept exactly, each `<JSON pointer> <reason>`. */
export interface EncodedValue {
  readonly payload: Payload;
  readonly lossy: readonly string[];
  /** JSON pointers of what was redacted; absent where nothing was. */
  readonly redacted?: readonly string[];
  /** JSON pointers of what secrets could not be looked for in; absent where there is none. */
  readonly unread?: readonly string[];
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

/**
 * Where a value stands. The pointer's text is put together only where there is something to say about the place, which for
 * nearly every value there is not.
 */
type Place = string | { readonly above: Place; readonly step: string | number };

/** The member, which does not show, by which the clients of OpenAI and Anthropic tell of each answer which request it was to. */
const REQUEST_ID = '_request_id';

function isFirstItem(place: Place): boolean {
  return typeof place !== 'string' && place.step === 0;
}

function pointerOf(place: Place): string {
  if (typeof place === 'string') return place;
  const { above, step } = place;
  return `${pointerOf(above)}/${typeof step === 'string' ? escapePointer(step) : step}`;
}

/** What was thrown may itself not be readable. */
function reasonOf(thrown: unknown): string {
  try {
    return String(isError(thrown) ? thrown.message : thrown);
  } catch {
    return 'no reason can be read';
  }
}

/** Whether JSON holds this value as it is. */
function isJsonScalar(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    default:
      return value === null;
  }
}

/** As many objects are looked through one by one before a map of them pays. */
const LISTED_OBJECTS_MAX = 32;

/** The objects of one value, numbered in the order in which they were met. */
class MetObjects {
  private readonly listed: object[] = [];
  private numbers: Map<object, number> | undefined;

  /** The number of an object that was met before; else undefined, and it is met now. */
  meet(value: object): number | undefined {
    const { listed } = this;
    if (this.numbers === undefined) {
      const known = listed.indexOf(value);
      if (known >= 0) return known;
      if (listed.length === LISTED_OBJECTS_MAX) this.numbers = new Map(listed.map((item, number) => [item, number]));
    } else {
      const known = this.numbers.get(value);
      if (known !== undefined) return known;
    }
    this.numbers?.set(value, listed.length);
    listed.push(value);
    return undefined;
  }

  /** How many were met. */
  get count(): number {
    return this.listed.length;
  }
}

/** Walks one value once, reading each member once; plain JSON stays as it is, everything else becomes a tagged node. */
class Encoder {
  readonly lossy: string[] = [];
  tagged = false;
  private readonly cuts = { 'too-deep': 0, 'too-large': 0 };
  private readonly met = new MetObjects();
  private referenced: Set<number> | undefined;
  /** The node made for each object, by its number; which node is which is only asked where something is shared. */
  private readonly nodes: unknown[] = [];

  mark(place: Place, reason: string): void {
    const pointer = pointerOf(place);
    this.lossy.push(`${pointer === '' ? '/' : pointer} ${reason}`);
  }

  private tagNode(name: string, members: Record<string, unknown>): Record<string, unknown> {
    this.tagged = true;
    return tag(name, members);
  }

  encode(value: unknown, place: Place, depth: number): unknown {
    if (isJsonScalar(value)) return value;
    if (typeof value === 'function') return this.encodeFunction(value, place);
    if (typeof value !== 'object' || value === null) return this.encodePrimitive(value, place);
    if (depth > VALUE_DEPTH_MAX) return this.leftOut('too-deep', place);
    if (this.met.count >= VALUE_OBJECTS_MAX) return this.leftOut('too-large', place);
    return this.encodeObject(value, place, depth);
  }

  /** Told of the first places alone: getters can make as many more as there is time. */
  private leftOut(reason: 'too-deep' | 'too-large', place: Place): unknown {
    this.cuts[reason] += 1;
    if (this.cuts[reason] <= CUTS_TOLD_MAX) this.mark(place, reason);
    return this.tagNode('handle', { class: reason });
  }

  private encodeFunction(value: object, place: Place): unknown {
    this.mark(place, 'function');
    try {
      return this.tagNode('function', { name: String(Reflect.get(value, 'name')) });
    } catch (error) {
      return this.unreadable(error, place);
    }
  }

  private encodePrimitive(value: unknown, place: Place): unknown {
    this.tagged = true;
    if (typeof value === 'undefined') return tag('undefined', {});
    if (typeof value === 'number') return tag('number', { value: Object.is(value, -0) ? '-0' : String(value) });
    if (typeof value === 'bigint') return tag('bigint', { value: value.toString() });
    const registered = typeof value === 'symbol' ? Symbol.keyFor(value) : undefined;
    if (registered !== undefined) return tag('symbol', { value: registered });
    this.mark(place, 'symbol');
    return tag('handle', { class: 'symbol' });
  }

  private encodeObject(value: object, place: Place, depth: number): unknown {
    const number = this.met.count;
    const known = this.met.meet(value);
    if (known !== undefined) {
      this.referenced ??= new Set();
      this.referenced.add(known);
      return this.tagNode('ref', { id: known });
    }
    const node = this.encodeFresh(value, place, depth);
    this.nodes[number] = node;
    return node;
  }

  /** Names the nodes that something else refers to; a second pass, paid only where a value is shared or cyclic. */
  complete(tree: unknown): unknown {
    const { referenced } = this;
    if (referenced === undefined) return tree;
    const idOfNode = new Map(Array.from(referenced, (id) => [this.nodes[id], id]));
    const finish = (node: unknown): unknown => {
      if (typeof node !== 'object' || node === null) return node;
      const id = idOfNode.get(node);
      const finished = Array.isArray(node) ? node.map(finish) : finishFields(node, finish);
      return id === undefined ? finished : tag('def', { id, value: finished });
    };
    return finish(tree);
  }

  private encodeFresh(value: object, place: Place, depth: number): unknown {
    try {
      if (Array.isArray(value)) return this.encodeArray(value, place, depth);
      if (isPlainObject(value)) return this.encodePlain(value, place, depth);
      if (isError(value)) return this.encodeError(value, place, depth);
      const builtIn = encodeBuiltIn(value, (item, step) => this.encode(item, { above: place, step }, depth + 1));
      if (builtIn !== undefined) {
        this.tagged = true;
        this.markSubclass(value, builtInName(builtIn), place);
        if (hasOwnMembers(value)) this.mark(place, 'members');
        if (isWithoutOwnSymbols(value) && hasSymbolMembers(value)) this.mark(place, 'symbol-members');
        if (isSharedMemory(value)) this.mark(place, 'class SharedArrayBuffer');
        if (isForeignTime(value, builtIn)) this.mark(place, `class ${String(builtIn.class)}`);
        return builtIn;
      }
      return this.encodeInstance(value, place, depth);
    } catch (error) {
      return this.unreadable(error, place);
    }
  }

  unreadable(error: unknown, place: Place): unknown {
    this.mark(place, `${UNREADABLE_MARK}(${reasonOf(error)})`);
    return this.tagNode('handle', { class: 'unreadable' });
  }

  /** Of a class that extends one of the platform's, what it adds does not come back. */
  private markSubclass(value: object, name: string | undefined, place: Place): void {
    const own: unknown = value.constructor;
    if (name !== undefined && typeof own === 'function' && own.name !== name) this.mark(place, `class ${own.name}`);
  }

  private encodeArray(value: readonly unknown[], place: Place, depth: number): unknown {
    this.markSubclass(value, 'Array', place);
    if (hasSymbolMembers(value)) this.mark(place, 'symbol-members');
    if (depth <= HIDDEN_DEPTH_MAX && hasHiddenArrayMembers(value)) this.mark(place, 'members');
    const shape = unusualShape(value);
    if (shape === undefined) return this.encodeItems(value, place, depth);
    const { indexes, members } = shape;
    const isSparse = value.length - indexes.length > ARRAY_HOLES_MAX;
    if (!isSparse && members.length === 0) return this.encodeItems(value, place, depth);
    const of = (key: number | string): unknown => this.readField(value, key, { above: place, step: key }, depth);
    const items = isSparse
      ? { length: value.length, entries: indexes.map((index) => [index, of(index)]) }
      : { items: this.encodeItems(value, place, depth) };
    const fields = {};
    for (const key of members) setField(fields, key, of(key));
    return this.tagNode('array', { ...items, ...(members.length === 0 ? {} : { fields }) });
  }

  private encodeItems(value: readonly unknown[], above: Place, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index];
      if (isJsonScalar(item)) items.push(item);
      else if (item === undefined && !(index in value)) items.push(this.tagNode('hole', {}));
      else items.push(this.encode(item, { above, step: index }, depth + 1));
    }
    return items;
  }

  private encodePlain(value: object, place: Place, depth: number): unknown {
    // Looking through each of many small objects once more would cost a tenth of encoding them. The first of a list, such as a row, is like the others.
    if ((depth <= HIDDEN_DEPTH_MAX || isFirstItem(place)) && hasHiddenMembers(value))
      this.mark(place, hasHiddenMembers(value, [REQUEST_ID]) ? 'members' : REQUEST_ID_MARK);
    return this.encodeFields(value, place, depth, undefined);
  }

  private encodeFields(value: object, place: Place, depth: number, className: string | undefined): unknown {
    const fields = this.copyOfFields(value, place, depth, className === undefined ? [] : unseenFieldsOf(value));
    if (className === undefined && Object.getOwnPropertySymbols(value).length > 0) this.markSymbols(value, place);
    if (className === undefined && Object.getPrototypeOf(value) !== null && !('$' in fields)) return fields;
    const kind = Object.getPrototypeOf(value) === null ? { nullPrototype: true } : {};
    return this.tagNode('object', { ...(className === undefined ? kind : { class: className }), fields });
  }

  private markSymbols(value: object, place: Place): void {
    if (Object.prototype.toString.call(value) === '[object Arguments]') this.mark(place, 'class Arguments');
    else if (hasSymbolMembers(value)) this.mark(place, 'symbol-members');
  }

  private copyOfFields(value: object, above: Place, depth: number, hidden: readonly string[]): Record<string, unknown> {
    let fields: Record<string, unknown>;
    try {
      fields = { ...value };
    } catch {
      return this.readableFields(value, above, depth);
    }
    for (const key of hidden) setField(fields, key, Reflect.get(value, key));
    const ownClass = Object.hasOwn(fields, 'constructor') ? ownClassOf(value) : undefined;
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      if (item === ownClass && key === 'constructor')
        setField(fields, key, this.tagNode('function', { name: ownClass?.name }));
      else if (!isJsonScalar(item)) setField(fields, key, this.encode(item, { above, step: key }, depth + 1));
    }
    return fields;
  }

  /** Member by member, where one of them throws. */
  private readableFields(value: object, above: Place, depth: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const place = { above, step: key };
      setField(fields, key, this.readField(value, key, place, depth));
    }
    return fields;
  }

  private readField(value: object, key: string | number, place: Place, depth: number): unknown {
    try {
      return this.encode((value as Record<string | number, unknown>)[key], place, depth + 1);
    } catch (error) {
      return this.unreadable(error, place);
    }
  }

  private encodeError(value: Error, place: Place, depth: number): unknown {
    const record = this.errorRecord(value, place, depth);
    return this.tagNode('error', { record });
  }

  private errorRecord(value: Error, place: Place, depth: number): ErrorRecord {
    const record = errorToRecord(value, pointerOf(place), {
      encode: (item, pointer) => this.encode(item, pointer, depth + 1),
      decode: (item) => item,
      mark: (pointer, reason) => this.mark(pointer, reason),
    });
    if (!isOfKnownErrorClass(value)) this.mark(place, `error-class ${record.class}`);
    return record;
  }

  private encodeInstance(value: object, place: Place, depth: number): unknown {
    const className = value.constructor?.name ?? 'Object';
    if (isHandle(value)) {
      this.mark(place, `handle ${className}`);
      return this.tagNode('handle', { class: className });
    }
    if (isKnownInstance(value)) {
      if (hasHiddenMembers(value, hiddenFieldsOf(value))) this.mark(place, 'members');
      if (hasSymbolMembers(value) && accessorsOf(value).length === 0) this.mark(place, 'symbol-members');
      return this.encodeFields(value, place, depth, className);
    }
    const modelled = classFinder()?.modelled(value);
    if (modelled !== undefined) {
      if (modelled.isPartial) this.mark(place, `class ${modelled.name}`);
      return this.encodeFields(modelled.fields, place, depth, modelled.name);
    }
    this.mark(place, `class ${className}`);
    // Where another class is known by that name, reading it back would make an instance of that one.
    const isOfAnother = valueClassNamed(className) !== undefined;
    return this.encodeFields(value, place, depth, isOfAnother ? undefined : className);
  }
}

function finishFields(node: object, finish: (item: unknown) => unknown): object {
  const finished = {};
  for (const [key, item] of Object.entries(node)) setField(finished, key, finish(item));
  return finished;
}

/** What belongs to a known instance and does not show when it is looked through. */
function unseenFieldsOf(value: object): readonly string[] {
  const unseen = hiddenFieldsOf(value);
  return hasSymbolMembers(value) ? [...unseen, ...accessorsOf(value)] : unseen;
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
    'File',
    'CryptoKey',
    'SharedArrayBuffer',
  ];
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return handles.includes(name) || name.startsWith('Intl.') || typeof (value as { pipe?: unknown }).pipe === 'function';
}

/**
 * Encodes any value as text: plain JSON where the value is plain JSON, else tagged JSON (docs/adr/0004). Never throws;
 * what cannot be kept is named in `lossy`.
 */
export function encodeValue(value: unknown): EncodedValue {
  try {
    if (isJsonScalar(value)) return { payload: stringifiedPayload('json', JSON.stringify(value)), lossy: [] };
    return encoded(new Encoder(), (encoder) => encoder.complete(encoder.encode(value, '', 0)));
  } catch (thrown) {
    // Longer than a text can be, for one: the crossing is kept without the value, and says so.
    return encoded(new Encoder(), (encoder) => encoder.unreadable(thrown, ''));
  }
}

function encoded(encoder: Encoder, encode: (encoder: Encoder) => unknown): EncodedValue {
  const text = JSON.stringify(encode(encoder));
  return { payload: stringifiedPayload(encoder.tagged ? 'js' : 'json', text), lossy: encoder.lossy };
}

/** How values are made again. */
export interface DecodeOptions {
  /** Makes what stands for a recorded function, whose code is gone. Default: undefined stands for it. */
  readonly callable?: (name: string) => unknown;
}

const tagReader: TagReader = {
  callable: () => undefined,
  error: (record, decode) =>
    errorFromRecord(record as ErrorRecord, { encode: (item) => item, decode, mark: () => undefined }),
  classNamed: valueClassNamed,
  instance: (className, fields) => {
    const valueClass = valueClassNamed(className);
    if (valueClass === undefined) return fields;
    return Object.defineProperties(
      Object.create(valueClass.prototype as object),
      Object.getOwnPropertyDescriptors(fields),
    );
  },
  makerOf: (name) => classFinder()?.makerOf(name),
  hidden: hiddenFieldsOf,
  accessors: accessorsOf,
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
