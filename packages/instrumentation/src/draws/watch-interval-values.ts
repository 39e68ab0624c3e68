import promises from 'node:timers/promises';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { observeFiring } from './observe-firing.ts';
import { recordTimer } from './record-draw.ts';
import { timerSetBy } from './timer-set-by.ts';

type Repeat = (delay?: unknown, value?: unknown, options?: unknown) => object;
type Next = (...parameters: unknown[]) => unknown;

/** Whether the platform takes these parameters. What it refuses, or has been aborted, sets no timer, and no line of ours may be in its error's stack. */
function setsTimer(delay: unknown, options: unknown): boolean {
  if (delay !== undefined && typeof delay !== 'number') return false;
  if (options === undefined) return true;
  if (typeof options !== 'object' || options === null) return false;
  const { signal, ref } = options as { readonly signal?: unknown; readonly ref?: unknown };
  const isSignal = signal === undefined || (signal instanceof AbortSignal && !signal.aborted);
  return isSignal && (ref === undefined || typeof ref === 'boolean');
}

function observeInterval(timer: object, delay: unknown): void {
  let record = recordTimer(delay);
  if (record === undefined) return;
  observeFiring(timer, () => {
    record?.fired();
    record = recordTimer(delay);
  });
}

/** The platform sets the timer when the first value is asked for. From then on the iterator is as it came. */
function observeFirstAsking(values: object, delay: unknown): void {
  const next = Reflect.get(values, 'next') as Next;
  const value = (...parameters: unknown[]): unknown => {
    Reflect.deleteProperty(values, 'next');
    const { begun, timer } = timerSetBy(delay, () => Reflect.apply(next, values, parameters));
    if (timer !== undefined) guarded('watching a timer', () => observeInterval(timer, delay), undefined);
    return begun;
  };
  Object.defineProperty(values, 'next', {
    configurable: true,
    writable: true,
    enumerable: false,
    value: disguised(value, next),
  });
}

/** The same of the `setInterval` of `timers/promises` as `watchTimers` keeps of the others. When it is left is not told: its last timer had not fired by the end of its crossing. */
export function watchIntervalValues(patches: PatchSet): void {
  patches.replace<Repeat>(promises, 'setInterval', (original) => {
    const set: Repeat = (...parameters) => {
      const values = original(...parameters);
      const [delay, , options] = parameters;
      if (setsTimer(delay, options)) guarded('watching a timer', () => observeFirstAsking(values, delay), undefined);
      return values;
    };
    return disguised(set, original);
  });
}
