import type { ClientHttp2Stream } from 'node:http2';
import { patchInstance } from '../instance-patch.ts';

/** Events that are no traffic of the stream. */
const quiet: ReadonlySet<unknown> = new Set(['timeout', 'close', 'error', 'newListener', 'removeListener']);

/**
 * Gives the stream of a replay its time limits by the host's timer: the platform's own is real, so that a replay in virtual time
 * does not wait for it, and it keeps no process alive, as the connection did that is not there.
 */
export function timedStream(stream: ClientHttp2Stream): void {
  let timeoutMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const restart = (): void => {
    globalThis.clearTimeout(timer);
    if (timeoutMs === 0 || stream.destroyed || stream.closed) return;
    timer = globalThis.setTimeout(() => stream.emit('timeout'), timeoutMs);
  };
  patchInstance(stream, 'setTimeout', () => {
    return function setTimeout(this: ClientHttp2Stream, limitMs: number, listener?: () => void): ClientHttp2Stream {
      timeoutMs = limitMs;
      if (listener !== undefined) {
        if (limitMs === 0) stream.removeListener('timeout', listener);
        else stream.once('timeout', listener);
      }
      restart();
      return this;
    } as ClientHttp2Stream['setTimeout'];
  });
  patchInstance(stream, 'emit', (emit) => {
    return function emitTimed(this: ClientHttp2Stream, ...values: never[]): boolean {
      if (!quiet.has(values[0])) restart();
      return Reflect.apply(emit, this, values) as boolean;
    } as ClientHttp2Stream['emit'];
  });
  stream.once('close', () => globalThis.clearTimeout(timer));
}
