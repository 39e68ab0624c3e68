import { Readable, Transform, Writable } from 'node:stream';
import { guarded, pristine, TURNS_READ_AHEAD } from '@reenact/instrumentation';
import type { ExchangeResponse } from '@reenact/trace-model';
import { patchInstance } from '../instance-patch.ts';

type Reader = NonNullable<ExchangeResponse['reader']>;

/** What each watched body was piped to last. */
const destinations = new WeakMap<Readable, NodeJS.WritableStream>();

/** How the host stood to each watched body as its pipe was taken down, where that is called off in the same turn: who does so first looks as if it had paused. */
const readersBefore = new WeakMap<Readable, Reader>();

/** Has `readerOf` know where a body is piped to, also once what it was piped to has gone, or was taken off it to be called off. */
export function watchPipes(body: Readable): void {
  patchInstance(body, 'unpipe', (unpipe) => {
    return function unpipeWatched(this: Readable, ...parameters) {
      guarded('watching a pipe', () => unpiping(body), undefined);
      return unpipe.apply(this, parameters);
    } as Readable['unpipe'];
  });
  patchInstance(body, 'pipe', (pipe) => {
    return function pipeWatched(this: Readable, destination, options) {
      guarded('watching a pipe', () => pipedTo(body, destination), undefined);
      return pipe.call(this, destination, options);
    } as Readable['pipe'];
  });
}

function pipedTo(body: Readable, destination: NodeJS.WritableStream): void {
  destinations.set(body, destination);
  if (destination instanceof Transform && !destinations.has(destination)) watchPipes(destination);
}

function unpiping(body: Readable): void {
  if (!destinations.has(body) || body.destroyed) return;
  readersBefore.set(body, readerOf(body));
  pristine.setImmediate(() => {
    if (!body.destroyed) readersBefore.delete(body);
  });
}

/**
 * Whether what a body is handed to takes all that comes: where that stands still it is full, and how full a connection gets is another thing
 * each time. A stream that is read takes no more than its reader asks for.
 */
export function takesAll(target: unknown): boolean {
  const isRead = target instanceof Transform || (target instanceof Readable && !(target instanceof Writable));
  return isRead ? takesAll(destinations.get(target)) : target instanceof Object;
}

/** How the host stands to a response that has not come to its end. Who has not taken all that has come waits for nothing. */
export function readerOf(response: Readable): Reader {
  return takesAll(destinations.get(response)) ? 'waiting' : (readersBefore.get(response) ?? readerNow(response));
}

function readerNow(response: Readable): Reader {
  if (response.readableLength > 0) return 'satisfied';
  return response.readableFlowing === true || response.listenerCount('readable') > 0 ? 'waiting' : 'satisfied';
}

/**
 * Tells once that the host waits for more of a response of which all has been given to it. Streams in between read ahead, and are called off in
 * a moment.
 */
export function whenReadBeyond(response: Readable, told: () => void): void {
  let isLooking = false;
  let isOver = false;
  const isWaiting = (): boolean => !isOver && !response.destroyed && readerNow(response) === 'waiting';
  const look = (turnsLeft: number): void => {
    isLooking = isWaiting();
    if (!isLooking) return;
    if (turnsLeft > 0) return void pristine.setImmediate(() => look(turnsLeft - 1));
    isOver = true;
    told();
  };
  const lookUnlessLooking = (): void => {
    if (!isLooking) look(TURNS_READ_AHEAD);
  };
  patchInstance(response, 'read', (read) => {
    return function readWatched(this: Readable, size?: number): unknown {
      const given: unknown = read.call(this, size);
      if (given === null) guarded('watching a read', lookUnlessLooking, undefined);
      return given;
    };
  });
  lookUnlessLooking();
}
