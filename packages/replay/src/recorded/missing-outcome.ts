import type { Crossing } from '@reenact/trace-model';

/** What a stub of this crossing lacks to be served, in words; undefined where it can be served. */
export function missingOutcome(recorded: Crossing): string | undefined {
  const { outcome, call, exchanges, capture } = recorded;
  if (outcome.type === 'pending') return undefined;
  if (call === 'exchange') return exchanges.length > 0 ? undefined : 'its wire exchanges were not recorded';
  switch (outcome.type) {
    case 'returned':
      return outcome.value?.data === undefined ? 'the value it returned was not recorded' : undefined;
    case 'threw':
    case 'failed':
      return outcome.error?.data === undefined ? 'the error it threw was not recorded' : undefined;
    case 'ended':
    case 'aborted':
      // Without its content a stream looks like one that gave nothing.
      if (capture !== 'full') return `its stream was recorded with capture "${capture}"`;
      return outcome.chunks.some(({ value }) => value.data === undefined) ? 'its chunks were not recorded' : undefined;
  }
}
