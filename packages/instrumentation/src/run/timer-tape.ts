import { unixNanoNow } from '../host/monotonic-clock.ts';

/** What numbers the events of one run. */
export interface EventOrder {
  /** Completion order of the next crossing that settles. */
  nextSettled: number;
}

/** What timers are told apart by: their delay as `timerDelayMs` reads it, or that they wait for the next turn of the event loop. */
export type TimerKey = number | 'immediate';

/** What work outside JavaScript is told apart by: the function that began it. */
export type WorkKey = string;

/** Told what became of one timer, or piece of work; what comes after the first is not kept. */
export interface TimerRecord {
  /** Its place among those of its key, from 0. */
  readonly ordinal: number;
  fired(): void;
  cancelled(): void;
  /** It was another event that fired: as if this had never been, its number included where it is the last. */
  withdrawn(): void;
}

class ArmedTimer implements TimerRecord {
  /** How many events of the run had been numbered when it was set. */
  readonly armedAt: number;
  readonly ordinal: number;
  private readonly tape: { readonly order: EventOrder };
  isWithdrawn = false;
  private end: { readonly hasFired: boolean; readonly order: number; readonly timeUs: number } | undefined;

  constructor(tape: { readonly order: EventOrder }, ordinal: number) {
    this.tape = tape;
    this.ordinal = ordinal;
    this.armedAt = tape.order.nextSettled;
  }

  fired(): void {
    // One that is refreshed after it has fired fires once more, at a place of its own that nothing asks for.
    if (this.end !== undefined) return;
    const { order } = this.tape;
    this.end = { hasFired: true, order: order.nextSettled, timeUs: unixUsNow() };
    order.nextSettled += 1;
  }

  cancelled(): void {
    this.end ??= { hasFired: false, order: this.tape.order.nextSettled, timeUs: unixUsNow() };
  }

  withdrawn(): void {
    this.isWithdrawn = true;
    const { order } = this.tape;
    if (this.end?.hasFired === true && order.nextSettled === this.end.order + 1) order.nextSettled = this.end.order;
  }

  /** Where it fired, or by when it had not. */
  get ending(): { readonly hasFired: boolean; readonly order: number; readonly timeUs: number } {
    return this.end ?? { hasFired: false, order: this.tape.order.nextSettled, timeUs: unixUsNow() };
  }
}

function unixUsNow(): number {
  return Number(unixNanoNow() / 1_000n);
}

/**
 * Which timers the code directly inside one crossing set, and where each fired in the order of the run's events: a firing takes a number as
 * an outcome does that reaches the agent (docs/adr/0040). The same of work outside JavaScript, which fires where it ends (docs/adr/0047). Bounded; what
 * is beyond is not kept.
 */
export class TimerTape<Key extends TimerKey | WorkKey = TimerKey> {
  /** What numbers the events now. */
  order: EventOrder;
  private readonly countMax: number;
  private readonly byKey = new Map<Key, ArmedTimer[]>();
  private count = 0;

  constructor(order: EventOrder, countMax: number) {
    this.order = order;
    this.countMax = countMax;
  }

  /** How many it holds. */
  get size(): number {
    return this.count;
  }

  /** Whether no more of them are kept. */
  get isFull(): boolean {
    return this.count >= this.countMax;
  }

  /** Goes on with the numbers of a run that has begun around code whose timers were kept before it. */
  follow(order: EventOrder): void {
    order.nextSettled = Math.max(order.nextSettled, this.order.nextSettled);
    this.order = order;
  }

  /** Keeps a timer that is set now; undefined where there is no more room. */
  arm(key: Key): TimerRecord | undefined {
    if (this.isFull) return undefined;
    this.count += 1;
    const others = this.byKey.get(key);
    const armed = new ArmedTimer(this, others?.length ?? 0);
    if (others === undefined) this.byKey.set(key, [armed]);
    else others.push(armed);
    return armed;
  }

  /** The member `timers` or `work` of `reenact.draws`, once the crossing has ended. */
  record(): Record<string, number[]> {
    const triples = Array.from(this.byKey, ([key, timers]) => [key, triplesOf(timers)] as const);
    return Object.fromEntries(triples.filter(([, { length }]) => length > 0));
  }
}

function triplesOf(timers: readonly ArmedTimer[]): number[] {
  const triples: number[] = [];
  let [armedBefore, usBefore] = [0, 0];
  for (const { armedAt, ending, isWithdrawn } of timers) {
    if (isWithdrawn) continue;
    const after = ending.order - armedAt;
    triples.push(armedAt - armedBefore, ending.hasFired ? after : -1 - after, ending.timeUs - usBefore);
    [armedBefore, usBefore] = [armedAt, ending.timeUs];
  }
  return triples;
}
