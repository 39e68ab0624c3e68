import type { Transform } from 'node:stream';
import { type Context, context as contexts } from '@opentelemetry/api';
import { guarded, replaceProperty, scopeOf } from '@reenact/instrumentation';
import { patchInstance } from '../instance-patch.ts';
import { WEBSOCKET_PACKINGS_MAX } from '../limits.ts';

/** One piece of a message that came packed, and who waits until a library has unpacked it. */
export interface PackedPiece {
  /** The connection that it came over: several may bring the same bytes. */
  readonly connection: object;
  readonly bytes: Buffer;
  /** A library has begun to unpack it, and gives these parts one by one. */
  begun(): void;
  unpacked(part: Uint8Array): void;
  /** A library has unpacked it, and is told of that next. */
  done(): void;
}

/** What a library has begun to pack. */
interface Packing {
  readonly data: Uint8Array | string;
  readonly sender: Sender;
}

/** Who sent a message that was packed, and whether they have made no other call since. */
export interface Sender {
  readonly context: Context;
  readonly isExact: () => boolean;
}

const expected: PackedPiece[] = [];
const packings: Packing[] = [];
const current = new WeakMap<object, PackedPiece>();
/** By what unpacks: the connection whose messages it unpacks, all in its state and so no others. */
const connections = new WeakMap<object, object>();
/** The connection whose library is being told of what has come, and begins to unpack it then where it is not busy. */
let reading: object | undefined;
/** Whether a library is being told that it has packed something: what it packs next has waited for that. */
let isTelling = false;
let undos: readonly (() => void)[] = [];
let openCount = 0;

function isSame(chunk: unknown, bytes: Uint8Array): boolean {
  if (typeof chunk === 'string') return isSame(Buffer.from(chunk, 'utf8'), bytes);
  return chunk instanceof Uint8Array && chunk.byteLength === bytes.byteLength && Buffer.compare(chunk, bytes) === 0;
}

function unpacks(inflater: Transform, chunk: unknown): void {
  const known = connections.get(inflater) ?? reading;
  const isOf = (connection: object): boolean => known === undefined || connection === known;
  const at = expected.findIndex(({ bytes, connection }) => isOf(connection) && isSame(chunk, bytes));
  const [piece] = at < 0 ? [] : expected.splice(at, 1);
  if (piece === undefined) return;
  connections.set(inflater, piece.connection);
  if (!current.has(inflater)) watchParts(inflater);
  current.set(inflater, piece);
  piece.begun();
}

function watchParts(inflater: Transform): void {
  patchInstance(inflater, 'emit', (emit) => {
    return function emitWatched(this: Transform, event: string | symbol, ...values: unknown[]): boolean {
      if (event === 'data')
        guarded('unpacking', () => current.get(inflater)?.unpacked(values[0] as Uint8Array), undefined);
      return Reflect.apply(emit, this, [event, ...values]) as boolean;
    } as Transform['emit'];
  });
}

function packs(chunk: unknown): void {
  if (!(chunk instanceof Uint8Array) && typeof chunk !== 'string') return;
  const context = contexts.active();
  const order = scopeOf(context)?.nextOrder;
  const hasWaited = isTelling;
  if (packings.length >= WEBSOCKET_PACKINGS_MAX) packings.shift();
  packings.push({
    data: chunk,
    sender: { context, isExact: () => !hasWaited && order !== undefined && scopeOf(context)?.nextOrder === order },
  });
}

type Callback = (...values: unknown[]) => void;

/** The parameters of `flush` with its callback told of first. */
function withCallback(parameters: readonly unknown[], around: (callback: Callback) => Callback): unknown[] {
  return parameters.map((given) => (typeof given === 'function' ? around(given as Callback) : given));
}

function tellingOf(inflater: object): ((callback: Callback) => Callback) | undefined {
  const piece = current.get(inflater);
  if (piece === undefined) return undefined;
  return (callback) =>
    function (this: unknown, ...values) {
      guarded('unpacking', () => piece.done(), undefined);
      return Reflect.apply(callback, this, values);
    };
}

function packed(callback: Callback): Callback {
  return function (this: unknown, ...values) {
    const before = isTelling;
    isTelling = true;
    try {
      return Reflect.apply(callback, this, values);
    } finally {
      isTelling = before;
    }
  };
}

type Method = (this: Transform, ...parameters: unknown[]) => unknown;

/** Both methods are inherited: these classes get their own for a while. */
function override(
  prototype: Transform,
  key: 'write' | 'flush',
  before: (stream: Transform, given: unknown[]) => unknown[],
): () => void {
  const original = Reflect.get(prototype, key) as Method;
  const value: Method = function (...parameters) {
    return Reflect.apply(
      original,
      this,
      guarded('watching compression', () => before(this, parameters), parameters),
    );
  };
  return replaceProperty(prototype, key, { value, writable: true, configurable: true, enumerable: false });
}

function install(): readonly (() => void)[] {
  const { InflateRaw, DeflateRaw } = process.getBuiltinModule('node:zlib') as unknown as Record<
    'InflateRaw' | 'DeflateRaw',
    { readonly prototype: Transform }
  >;
  return [
    override(InflateRaw.prototype, 'write', (inflater, given) => {
      if (expected.length > 0) unpacks(inflater, given[0]);
      return given;
    }),
    override(InflateRaw.prototype, 'flush', (inflater, given) => {
      const telling = tellingOf(inflater);
      return telling === undefined ? given : withCallback(given, telling);
    }),
    override(DeflateRaw.prototype, 'write', (_deflater, given) => {
      packs(given[0]);
      return given;
    }),
    override(DeflateRaw.prototype, 'flush', (_deflater, given) => withCallback(given, packed)),
  ];
}

/**
 * Watches how libraries pack and unpack messages, which they do beside other calls: by `node:zlib`, whoever bundles them. To be called once for each
 * connection with compression; call the result when it is closed.
 */
export function watchPacking(): () => void {
  if (openCount === 0) undos = install();
  openCount += 1;
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    openCount -= 1;
    if (openCount > 0) return;
    packings.length = 0;
    for (const undo of undos) undo();
  };
}

/** Tells a library of what has come over a connection: what it begins to unpack meanwhile came over that one. */
export function whileReading<Result>(connection: object, tell: () => Result): Result {
  const before = reading;
  reading = connection;
  try {
    return tell();
  } finally {
    reading = before;
  }
}

/** Waits until a library unpacks this. Call the result where it is not waited for any more. */
export function expectUnpacking(piece: PackedPiece): () => void {
  expected.push(piece);
  return () => {
    const at = expected.indexOf(piece);
    if (at >= 0) expected.splice(at, 1);
  };
}

/** Who sent a message that a library has packed; undefined where that was not seen. */
export function senderOf(bytes: Uint8Array): Sender | undefined {
  const at = packings.findIndex((packing) => isSame(packing.data, bytes));
  return at < 0 ? undefined : packings.splice(at, 1)[0]?.sender;
}
