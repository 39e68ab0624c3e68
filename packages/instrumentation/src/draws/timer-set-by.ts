import { pristine } from '../host/pristine.ts';

/** What was begun, and the timer that it set; undefined where none is found. */
export interface BegunWithTimer<Begun> {
  readonly begun: Begun;
  readonly timer: object | undefined;
}

/**
 * The timer that the platform sets meanwhile, which nobody is given: timers of one delay stand in one list, and one of ours that is set a
 * moment before has it as its neighbour. `delay`: that of the timer, in milliseconds, as the platform is given it.
 */
export function timerSetBy<Begun>(delay: unknown, begin: () => Begun): BegunWithTimer<Begun> {
  const own = pristine.setTimeout(() => undefined, delay as number);
  const neighbour = (): unknown => Reflect.get(own, '_idlePrev');
  const before = neighbour();
  try {
    const begun = begin();
    const timer = neighbour();
    return { begun, timer: timer instanceof own.constructor && timer !== before ? timer : undefined };
  } finally {
    pristine.clearTimeout(own);
  }
}
