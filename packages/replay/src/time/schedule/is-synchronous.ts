import type { CallShape } from '@reenact/trace-model';

/** Whether a call of this shape has its outcome before it returns. */
export function isSynchronous(call: CallShape): boolean {
  return call === 'sync' || call === 'iterator' || call === 'iterable';
}
