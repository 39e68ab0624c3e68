import { context as contexts, createContextKey } from '@opentelemetry/api';

const EARLIER_TIMER_KEY = createContextKey('reenact.earlier-timer.1');

/** Makes what a timer is called in, where it is set before the run: all that it begins is known by it, also while the run goes on. */
export function forEarlierTimer<Made>(make: () => Made): Made {
  return contexts.with(contexts.active().setValue(EARLIER_TIMER_KEY, true), make);
}

/** Whether the code that is running was begun by a timer that had been set before the run: it would have run at some time without the run as well. */
export function isOfEarlierTimer(): boolean {
  return contexts.active().getValue(EARLIER_TIMER_KEY) === true;
}
