import type { Readable } from 'node:stream';
import { guarded, pristine, TURNS_READ_AHEAD } from '@reenact/instrumentation';
import type { ExchangeResponse } from '@reenact/trace-model';
import { patchInstance } from '../instance-patch.ts';

/** How the host stands to a response that has not come to its end. Who has not taken all that has come waits for nothing. */
export function readerOf(response: Readable): NonNullable<ExchangeResponse['reader']> {
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
  const isWaiting = (): boolean => !isOver && !response.destroyed && readerOf(response) === 'waiting';
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
