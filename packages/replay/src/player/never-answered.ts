import type { Answer, Position } from '@reenact/instrumentation';
import { type CallShape, type Crossing, ReenactError } from '@reenact/trace-model';

const never = new Promise<undefined>(() => undefined);

const WAITABLE: ReadonlySet<CallShape> = new Set(['promise', 'exchange', 'async-iterator', 'async-iterable']);

/** Whether who makes such a call goes on while it waits for the answer. */
export function isWaitable({ call }: Crossing): boolean {
  return WAITABLE.has(call);
}

/** The answer to a call in a process that is about to be stopped: it goes on for as long as the process does. `like`: what it looks like. */
export function neverAnswered(like: Crossing, position: Position): Answer {
  const release = { at: () => never, settle: () => never };
  // A client goes on to read what was recorded, and never gets it.
  const recorded: Crossing =
    like.call === 'exchange' ? like : { ...like, call: 'promise', outcome: { type: 'pending' } };
  return {
    type: 'stub',
    recorded: { ...recorded, capture: 'full', lossy: [] },
    release,
    keepsNoRecording: true,
    position,
    exhausted: (detail) => new ReenactError('replay-refused', `The replay is over: ${detail}`, { where: like.path }),
  };
}
