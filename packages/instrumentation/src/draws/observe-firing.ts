import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';

interface Observed {
  value: unknown;
  readonly began: () => void;
}

/** What Node.js reads of a timeout, and of an immediate, just before it calls what that was set with; and nowhere else while it waits. */
const keys = ['_timerArgs', '_argv'] as const;

const observed = new WeakMap<object, Observed>();

/** One for all: objects with accessors of their own each would be slow to make. */
const accessor: PropertyDescriptor & ThisType<object> = {
  configurable: true,
  enumerable: true,
  get() {
    const watched = observed.get(this);
    if (watched !== undefined) guarded('noting a timer', watched.began, undefined);
    return watched?.value;
  },
  set(value: unknown) {
    const watched = observed.get(this);
    if (watched !== undefined) watched.value = value;
  },
};

function keyOf(timer: unknown): (typeof keys)[number] | undefined {
  return typeof timer === 'object' && timer !== null ? keys.find((key) => Object.hasOwn(timer, key)) : undefined;
}

/** Whether this Node.js calls what its timers were set with as it is known to: where it does not, no firing of theirs can be told. */
export function firingsAreTold(): boolean {
  const timeout = pristine.setTimeout(() => undefined, 1);
  const immediate = pristine.setImmediate(() => undefined);
  const areTold = keyOf(timeout) !== undefined && keyOf(immediate) !== undefined;
  pristine.clearTimeout(timeout);
  pristine.clearImmediate(immediate);
  return areTold;
}

/**
 * Tells each time a timeout, an interval or an immediate of the platform begins to call what it was set with, in the context of that call. A function
 * of ours around the callback would be a line of every stack that is made there, and agents answer with stacks.
 */
export function observeFiring(timer: object, began: () => void): void {
  const key = keyOf(timer);
  if (key === undefined) return;
  const observe = (): void => {
    observed.set(timer, { value: Reflect.get(timer, key), began });
    Object.defineProperty(timer, key, accessor);
  };
  guarded('watching a timer', observe, undefined);
}
