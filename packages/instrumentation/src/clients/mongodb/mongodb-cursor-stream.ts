import { type Readable, Transform } from 'node:stream';
import { guarded } from '../../host/report-failure.ts';

interface Cursor {
  next(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** What a cursor of mongodb before 6.8 makes of itself. */
interface CursorStream extends Readable {
  _cursor: Cursor;
  _readInProgress: boolean;
  _readNext(): void;
}

type Transformation = (document: unknown) => unknown;

interface StreamOptions {
  readonly transform?: Transformation;
}

function isCursorStream(stream: unknown): stream is CursorStream {
  return typeof stream === 'object' && stream !== null && '_cursor' in stream && '_readNext' in stream;
}

function take(stream: CursorStream, document: unknown): void {
  if (document === null || document === undefined) stream.push(null);
  else if (stream.destroyed) stream._cursor.close().catch(() => null);
  else if (stream.push(document)) stream._readNext();
  else stream._readInProgress = false;
}

function fail(stream: CursorStream, error: Error): void {
  // What the driver takes for an end: a client that was closed meanwhile, a cursor that has no more to give.
  const isClosed = /server is closed/.test(error.message);
  if (isClosed) stream._cursor.close().catch(() => null);
  const isEnd =
    isClosed || /operation was interrupted/.test(error.message) || error.name === 'MongoCursorExhaustedError';
  if (isEnd) stream.push(null);
  else stream.destroy(error);
}

/** Cursors that the host, or a stream of theirs, has closed, as the host holds them. */
const closing = new WeakSet<object>();

/** Told of each `close()` of a cursor, recorded or replayed. */
export function noteClosing(cursor: object): void {
  closing.add(cursor);
}

/**
 * A stream of today tells by the cursor's id that it was closed meanwhile and stopped at the server, which a replay does not have: whether it
 * was is asked of the gate, and that only once there was a `close()`.
 */
function endOnceKilled(stream: CursorStream, cursor: object): void {
  const { _readNext: readOn } = stream;
  if (!Function.prototype.toString.call(readOn).includes('_cursor.id')) return;
  function readNext(this: CursorStream): void {
    if (closing.has(cursor) && Reflect.get(cursor, 'killed') === true) this.push(null);
    else Reflect.apply(readOn, this, []);
  }
  Object.defineProperty(stream, '_readNext', { value: readNext, configurable: true, writable: true });
}

/** What closes it waits for a promise: version 4 gives a callback, which a replay does not call beside that. */
function readByCursor(stream: CursorStream): void {
  function readNext(this: CursorStream): void {
    this._cursor.next().then(
      (document) => take(this, document),
      (error: Error) => fail(this, error),
    );
  }
  function destroy(this: CursorStream, error: Error | null, callback: (error?: Error | null) => void): void {
    this._cursor.close().then(
      () => callback(error),
      (closing: Error) => callback(closing),
    );
  }
  const own = { _readNext: readNext, _destroy: destroy };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  }
}

function transforming(transform: Transformation): Transform {
  return new Transform({
    objectMode: true,
    highWaterMark: 1,
    transform(document, _, callback) {
      try {
        callback(undefined, transform(document));
      } catch (error) {
        callback(error as Error);
      }
    },
  });
}

/** Whether the driver hands an error of reading on to what transforms, as from 6.5; before, nobody could handle it. */
function forwardsErrors(cursor: object): boolean {
  const stream: unknown = Reflect.get(cursor, 'stream');
  const source = typeof stream === 'function' ? Function.prototype.toString.call(stream) : '';
  return !source.includes('.pipe(') || /['"`]error['"`]/.test(source);
}

function transformed(cursor: object, made: Readable, transform: Transformation): Transform {
  const out = made.pipe(transforming(transform));
  if (guarded('looking for errors of a stream', () => forwardsErrors(cursor), true)) {
    made.on('error', (error) => out.emit('error', error));
  }
  return out;
}

function streamOfToday(made: unknown, held: object): unknown {
  if (isCursorStream(made)) guarded('ending a stream with its cursor', () => endOnceKilled(made, held), undefined);
  return made;
}

/**
 * The stream of a cursor, which before 6.8 reads past the cursor's own methods: it is made to read by them, as those of later versions
 * do. `stream` makes it; `held` is what the host has in the place of the cursor.
 */
export function streamOfCursor(
  cursor: object,
  parameters: readonly unknown[],
  stream: (parameters: readonly unknown[]) => unknown,
  held: object,
): unknown {
  if ('cursorId' in cursor) return streamOfToday(stream(parameters), held);
  const { transform, ...options } = (parameters[0] ?? {}) as StreamOptions;
  const made = stream([options]);
  if (isCursorStream(made)) guarded('reading a stream by its cursor', () => readByCursor(made), undefined);
  return transform ? transformed(cursor, made as Readable, transform) : made;
}
