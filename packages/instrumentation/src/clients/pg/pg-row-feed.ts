import { ReenactError } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { observePromise } from '../../results/observe-promise.ts';
import type { StreamTape } from '../../results/stream-tape.ts';
import type { AnsweredCall } from '../object/answered-call.ts';
import type { RowFeed } from '../object/row-feed.ts';
import { plainFields } from './pg-result.ts';
import { fillResult } from './pg-revived-result.ts';

type ReadCallback = (error: unknown, rows?: readonly unknown[], result?: object) => void;
type CloseCallback = (error?: unknown) => void;

/** The cursor of `pg-cursor`, which `pg-query-stream` reads, too. */
interface Cursor {
  state: string;
  _error?: unknown;
  readonly text: unknown;
  readonly values: unknown;
  readonly _conf?: { readonly rowMode?: unknown };
  readonly _result: object;
  read(rows: number, callback?: ReadCallback): unknown;
  close(callback?: CloseCallback): unknown;
  emit(event: string, ...parameters: unknown[]): unknown;
  listenerCount(event: string): number;
}

/** What one read gave. */
interface Batch {
  readonly rows: readonly unknown[];
  /** What the driver's result says of all rows by then. */
  readonly result: Readonly<Record<string, unknown>>;
  /** The statement is complete. */
  readonly isLast?: true;
}

function hasMethod(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, key) === 'function';
}

function isCursor(value: unknown): value is Cursor {
  return (
    hasMethod(value, 'submit') && hasMethod(value, 'read') && hasMethod(value, 'close') && !hasMethod(value, 'pipe')
  );
}

/** The cursor of an object that a client was given to submit; undefined for a kind that is not known. */
function cursorOf(submitted: unknown): Cursor | undefined {
  if (isCursor(submitted)) return submitted;
  const cursor: unknown = hasMethod(submitted, 'submit') ? Reflect.get(submitted as object, 'cursor') : undefined;
  return isCursor(cursor) ? cursor : undefined;
}

function overlay(target: object, key: string, value: (...parameters: never[]) => unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, writable: true, enumerable: false });
}

/** Calls back with what a promise gives, where a callback was given; else hands the promise on. */
function answer<Value>(
  promise: Promise<Value>,
  callback: ((error: unknown, value?: Value) => void) | undefined,
): unknown {
  if (callback === undefined) return promise;
  // On a tick of its own: what the callback throws is the host's and must not become a rejection of ours.
  promise.then(
    (value) => process.nextTick(() => callback(null, value)),
    (error: unknown) => process.nextTick(() => callback(error)),
  );
  return undefined;
}

function batchOf({ state, _result: result }: Cursor, rows: readonly unknown[], isFirst: boolean): Batch {
  const { command, rowCount, oid, fields } = result as Record<string, unknown>;
  return {
    rows,
    result: { command, rowCount, oid, ...(isFirst ? { fields: plainFields(fields) } : {}) },
    ...(state === 'done' ? { isLast: true } : {}),
  };
}

/** Tells the tape of every read. Reads after the last rows give nothing, and what comes after an end is no part of the stream. */
class WatchedCursor {
  private readonly cursor: Cursor;
  private readonly tape: StreamTape;
  private hasEnded = false;
  private isFirst = true;

  constructor(cursor: Cursor, tape: StreamTape) {
    this.cursor = cursor;
    this.tape = tape;
  }

  watch(): void {
    const { cursor } = this;
    const { read, close } = cursor;
    const watcher = this;
    overlay(cursor, 'read', function watchedRead(this: Cursor, rows: number, callback?: ReadCallback) {
      if (callback === undefined) return watcher.promised(Reflect.apply(read, this, [rows]));
      return watcher.readBy(this, read, rows, callback);
    });
    overlay(cursor, 'close', function watchedClose(this: Cursor, ...parameters: [CloseCallback?]) {
      guarded('observing rows', () => watcher.closed(), undefined);
      return Reflect.apply(close, this, parameters);
    });
  }

  private promised(promise: unknown): unknown {
    const observer = {
      fulfilled: (rows: unknown) => this.seen(undefined, rows as readonly unknown[]),
      rejected: (error: unknown) => this.seen(error),
    };
    return guarded('observing rows', () => observePromise(promise as object, observer), undefined) ?? promise;
  }

  private readBy(cursor: Cursor, read: Cursor['read'], count: number, callback: ReadCallback): unknown {
    const seen = (error: unknown, rows?: readonly unknown[], result?: object): void => {
      guarded('observing rows', () => this.seen(error, rows), undefined);
      callback(error, rows, result);
    };
    return Reflect.apply(read, cursor, [count, seen]);
  }

  private seen(error: unknown, rows: readonly unknown[] = []): void {
    if (this.hasEnded) return;
    if (error) {
      this.hasEnded = true;
      this.tape.failed(error);
      return;
    }
    const batch = batchOf(this.cursor, rows, this.isFirst);
    this.isFirst = false;
    this.tape.chunk(batch);
    if (batch.isLast !== true) return;
    this.hasEnded = true;
    this.tape.ended(undefined);
  }

  private closed(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.tape.aborted();
  }
}

/** A cursor whose reads are answered from recorded batches; nothing was submitted. */
class ServedCursor {
  private readonly cursor: Cursor;
  private readonly chunks: AsyncIterator<unknown>;
  private readonly call: AnsweredCall;

  constructor(cursor: Cursor, chunks: AsyncIterator<unknown>, call: AnsweredCall) {
    this.cursor = cursor;
    this.chunks = chunks;
    this.call = call;
  }

  serve(): void {
    const { cursor } = this;
    cursor.state = 'submitted';
    overlay(cursor, 'read', (_rows: number, callback?: ReadCallback) =>
      answer(this.read(), callback && ((error, rows) => callback(error, rows, error ? undefined : cursor._result))),
    );
    overlay(cursor, 'close', (callback?: CloseCallback) =>
      answer(this.close(), callback && ((error) => (error ? callback(error) : callback()))),
    );
  }

  private async read(): Promise<readonly unknown[]> {
    const { cursor } = this;
    if (cursor.state === 'error') throw cursor._error;
    try {
      const { done, value } = await this.chunks.next();
      if (done === true) return [];
      return this.give(value as Batch);
    } catch (error) {
      cursor.state = 'error';
      cursor._error = error;
      if (cursor.listenerCount('error') > 0) process.nextTick(() => cursor.emit('error', error));
      throw error;
    }
  }

  private give({ rows, result, isLast }: Batch): readonly unknown[] {
    const { cursor } = this;
    guarded('making a result', () => fillResult(cursor._result, result, this.call), undefined);
    for (const row of rows) cursor.emit('row', row, cursor._result);
    Object.assign(cursor._result, { rows });
    if (isLast === true) {
      cursor.state = 'done';
      cursor.emit('end', cursor._result);
      // Reads the end, which settles the crossing.
      void this.chunks.next().catch(() => undefined);
    }
    return rows;
  }

  private async close(): Promise<void> {
    if (this.cursor.state !== 'error') this.cursor.state = 'done';
    await this.chunks.return?.();
  }
}

function plainArgument(parameter: unknown): unknown {
  if (!hasMethod(parameter, 'submit')) return parameter;
  const asked = cursorOf(parameter) ?? (parameter as Cursor);
  const { text, values, _conf } = asked;
  const batchRows: unknown = Reflect.get(parameter as object, 'readableHighWaterMark');
  return {
    text,
    values,
    ...(_conf?.rowMode === undefined ? {} : { rowMode: _conf.rowMode }),
    ...(batchRows === undefined ? {} : { batchRows }),
  };
}

/** Objects that a client of pg is given to submit: `pg-cursor`, and `pg-query-stream`, which reads one. */
export const pgRowFeed: RowFeed = {
  isAskedBy: ([submitted]) => hasMethod(submitted, 'submit'),
  input: (parameters) =>
    hasMethod(parameters[0], 'submit')
      ? parameters.filter((parameter) => typeof parameter !== 'function').map(plainArgument)
      : parameters,
  isFed: (result) => hasMethod(result, 'submit'),
  watch: (submitted, tape) => {
    const cursor = cursorOf(submitted);
    if (cursor !== undefined) new WatchedCursor(cursor, tape).watch();
    else tape.unwatched(`class ${submitted.constructor.name}`);
  },
  serve: (chunks, call) => {
    const [submitted] = call.parameters;
    const cursor = cursorOf(submitted);
    if (cursor === undefined) {
      const name = (submitted as object | undefined)?.constructor.name;
      throw new ReenactError('replay-refused', `What comes through a ${name} given to \`query\` is not recorded.`, {
        where: 'database:postgresql.query',
        next: 'Read the rows by `pg-cursor`, by `pg-query-stream`, or as one list, or do it inside a tool().',
      });
    }
    new ServedCursor(cursor, chunks, call).serve();
    return submitted;
  },
};
