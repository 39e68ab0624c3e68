import type { Answer, Position } from '@reenact/instrumentation';
import { type Crossing, ReenactError } from '@reenact/trace-model';

const never = new Promise<void>(() => undefined);

/** The answer to a call in a process that is about to be stopped: it goes on for as long as the process does. `like`: what it looks like. */
export function neverAnswered(like: Crossing, position: Position): Answer {
  const release = { at: () => never, settle: () => never };
  return {
    type: 'stub',
    recorded: { ...like, call: 'promise', capture: 'full', outcome: { type: 'pending' }, exchanges: [], lossy: [] },
    release,
    position,
    exhausted: (detail) => new ReenactError('replay-refused', `The replay is over: ${detail}`, { where: like.path }),
  };
}
