import { type ContextClock, type PatchSet, watchContexts } from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';
import { readVirtualDate } from './patch-clock.ts';
import { drawVirtualNumber } from './patch-random.ts';

/** Makes the clock and the random numbers of contexts of `node:vm` those of the replay around their code. Returns how to undo it. */
export function patchContexts(patches: PatchSet, times: ActiveTimes): () => void {
  // A recording of before lacks what was read there: served to that, its values would be missing where they belong.
  const isServed = (): boolean => times.here()?.time.hasContexts === true;
  const clock: ContextClock = {
    time: (name, proceed) => (isServed() ? readVirtualDate(times, name) : undefined) ?? proceed(),
    random: (proceed) => (isServed() ? drawVirtualNumber(times) : undefined) ?? proceed(),
    unwatched() {
      const here = times.here();
      here?.time.noteContext(here.position);
    },
  };
  return watchContexts(patches, clock);
}
