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
  if (takesAll(destinations.get(response))) return 'waiting';
  return readersBefore.get(response) ?? readerThroughPipe(response);
}

/**
 * The same where a body may go on to another stream: as long as that has room it takes what nobody has asked for. One that has given nothing yet
 * may be no way to somebody else, as a digest.
 */
function readerThroughPipe(body: Readable): Reader {
  const end = endOfPipe(body);
  return end.readableLength > 0 && !isRead(end) ? 'satisfied' : readerNow(body);
}

/** The last of the streams that a body goes on to now. */
function endOfPipe(body: Readable): Readable {
  const pipes: unknown = Reflect.get(Reflect.get(body, '_readableState') ?? {}, 'pipes');
  const [next, another] = Array.isArray(pipes) ? (pipes as unknown[]) : [];
  return next instanceof Transform && another === undefined ? endOfPipe(next) : body;
}

function readerNow(response: Readable): Reader {
  return response.readableLength === 0 && isRead(response) ? 'waiting' : 'satisfied';
}

function isRead(body: Readable): boolean {
  return body.readableFlowing === true || body.listenerCount('readable') > 0;
}

/**
 * Tells once that the host waits for more of a response of which all has been given to it. Streams in between read ahead, and are called off in
 * a moment.
 */
export function whenReadBeyond(response: Readable, told: () => void): void {
  let isLooking = false;
  let isOver = false;
  const watched = new Set<Readable>();
  const isWaiting = (): boolean => {
    if (isOver || response.destroyed || endOfPipe(response).readableLength > 0) return false;
    return readerThroughPipe(response) === 'waiting';
  };
  const look = (turnsLeft: number): void => {
    watch(endOfPipe(response));
    isLooking = isWaiting();
    if (!isLooking) return;
    if (turnsLeft > 0) return void pristine.setImmediate(() => look(turnsLeft - 1));
    isOver = true;
    told();
  };
  const lookUnlessLooking = (): void => {
    if (!isLooking) look(TURNS_READ_AHEAD);
  };
  const watch = (body: Readable): void => {
    if (watched.has(body)) return;
    watched.add(body);
    patchInstance(body, 'read', (read) => {
      return function readWatched(this: Readable, size?: number): unknown {
        const given: unknown = read.call(this, size);
        if (given === null) guarded('watching a read', lookUnlessLooking, undefined);
        return given;
      };
    });
  };
  watch(response);
  lookUnlessLooking();
}
