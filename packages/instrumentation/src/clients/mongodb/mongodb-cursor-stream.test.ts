import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { streamOfCursor } from './mongodb-cursor-stream.ts';

/** A cursor that gives promises alone, as a wrapped one does in a replay. */
class ServedCursor {
  readonly documents: unknown[];
  closed = 0;

  constructor(documents: unknown[]) {
    this.documents = documents;
  }

  async next(): Promise<unknown> {
    if (this.documents.length === 0) throw new RangeError('no more');
    return this.documents.shift();
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

/** As version 4.17 makes it: it reads past the cursor's methods, and closes by a callback. */
class CallbackStream extends Readable {
  readonly _cursor: ServedCursor;
  _readInProgress = false;

  constructor(cursor: ServedCursor) {
    super({ objectMode: true, autoDestroy: false, highWaterMark: 1 });
    this._cursor = cursor;
  }

  override _read(): void {
    if (this._readInProgress) return;
    this._readInProgress = true;
    this._readNext();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const close = this._cursor.close as (told: (failed?: Error) => void) => unknown;
    Reflect.apply(close, this._cursor, [(failed?: Error) => callback(failed ?? error)]);
  }

  _readNext(): void {
    throw new Error('It asked the server.');
  }
}

describe('the stream of a cursor of mongodb 4', () => {
  it('gives the documents of the cursor, and ends with its error once that is closed', async () => {
    const cursor = new ServedCursor([1, 2]);
    const stream = streamOfCursor(cursor, [], () => new CallbackStream(cursor), cursor) as Readable;
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const document of stream) seen.push(document);
    };
    await expect(reading()).rejects.toThrow(RangeError);
    expect([seen, cursor.closed]).toEqual([[1, 2], 1]);
  });
});

/** As 6.7 makes it, which hands an error of reading on. */
class ForwardingCursor extends ServedCursor {
  stream({ transform }: { transform?: unknown }): Readable {
    const stream = new CallbackStream(this);
    if (transform === undefined) return stream;
    const transformed = stream.pipe(new PassThrough({ objectMode: true }));
    stream.on('error', (error) => transformed.emit('error', error));
    return transformed;
  }
}

/** As 6.0 makes it. */
class PipingCursor extends ServedCursor {
  stream({ transform }: { transform?: unknown }): Readable {
    const stream = new CallbackStream(this);
    return transform === undefined ? stream : stream.pipe(new PassThrough({ objectMode: true }));
  }
}

function transformedOf(cursor: ForwardingCursor | PipingCursor): { made: Readable; out: Readable } {
  let made = new Readable();
  const stream = ([options]: readonly unknown[]): Readable => {
    made = cursor.stream(options as object);
    return made;
  };
  const out = streamOfCursor(cursor, [{ transform: (document: unknown) => [document] }], stream, cursor);
  return { made, out: out as Readable };
}

describe('the transformed stream of a cursor', () => {
  it('ends with the error of reading where that of the driver does: nobody else could hear of it', async () => {
    const { made, out } = transformedOf(new ForwardingCursor([1]));
    const told: unknown[] = [];
    made.on('error', () => told.push('of reading'));
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const document of out) seen.push(document);
    };
    await expect(reading()).rejects.toThrow(RangeError);
    expect([seen, told]).toEqual([[[1]], ['of reading']]);
  });

  it('is not told of it where that of the driver is not', async () => {
    const { made, out } = transformedOf(new PipingCursor([1]));
    const told: unknown[] = [];
    out.on('error', () => told.push('of reading')).resume();
    const [error] = (await once(made, 'error')) as [unknown];
    expect([error, told]).toEqual([new RangeError('no more'), []]);
  });
});
