import type { IncomingMessage } from 'node:http';
import { watchStall } from '../../connections/stall-watch.ts';
import { freeChunk } from '../../memory/free-memory.ts';
import { REFUSED_BODY_DRAIN_BYTES_MAX, REFUSED_BODY_STALL_MS, REFUSED_BODY_TIME_MS_MAX } from '../limits.ts';

/**
 * Reads the rest of a body that was refused and throws it away; `onDrained` is called once, at its end or where it is too much or takes too
 * long. A connection that is closed sooner tells a sender that is still writing of a broken pipe, and most then read no answer (RFC 9112, 9.6).
 */
export function drainRefused(request: IncomingMessage, onDrained: () => void): void {
  let bytes = 0;
  let isDrained = false;
  const end = (): void => {
    if (isDrained) return;
    isDrained = true;
    stall.stop();
    onDrained();
  };
  const stall = watchStall({ stallMs: REFUSED_BODY_STALL_MS, timeMaxMs: REFUSED_BODY_TIME_MS_MAX }, end);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    freeChunk(chunk);
    stall.moved();
    if (bytes > REFUSED_BODY_DRAIN_BYTES_MAX) end();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, end);
  request.resume();
}
