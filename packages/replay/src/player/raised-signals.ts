import { pristine } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import { EXPECTED_CALL_MS_MAX } from '../limits.ts';

/** Tells a run that its signal has come; `isHanded`: and the listeners of the process. */
type Raise = (isHanded: boolean) => void;

interface SharedSignal {
  /** How many runs that have begun hold it. */
  runs: number;
  readonly waiting: Raise[];
  isRaised: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * The recorded signals of a process. One that came while several runs went on is recorded in each of them; it comes once, when all of them have
 * come to its place, or after a while where one does not.
 */
export class RaisedSignals {
  private readonly signals = new Map<string, SharedSignal>();

  /** A run begins that holds this signal. */
  expect(recorded: Pick<Crossing, 'name' | 'startTimeUnixNano'>): void {
    this.signalOf(recorded).runs += 1;
  }

  /** A run has come to its place. Gives how to take that back, where it has not been raised by then. */
  due(recorded: Pick<Crossing, 'name' | 'startTimeUnixNano'>, raise: Raise): () => void {
    const signal = this.signalOf(recorded);
    signal.waiting.push(raise);
    if (signal.isRaised || signal.waiting.length >= signal.runs) this.raise(signal);
    else signal.timer ??= pristine.setTimeout(() => this.raise(signal), EXPECTED_CALL_MS_MAX);
    return () => {
      const index = signal.waiting.indexOf(raise);
      if (index !== -1) signal.waiting.splice(index, 1);
    };
  }

  private raise(signal: SharedSignal): void {
    if (signal.timer !== undefined) pristine.clearTimeout(signal.timer);
    const waiting = signal.waiting.splice(0);
    const isFirst = !signal.isRaised;
    signal.isRaised ||= waiting.length > 0;
    // All runs are told before any listener does something about it.
    for (const [index, raise] of waiting.entries()) raise(isFirst && index === waiting.length - 1);
  }

  private signalOf({ name, startTimeUnixNano }: Pick<Crossing, 'name' | 'startTimeUnixNano'>): SharedSignal {
    const key = `${name} ${startTimeUnixNano}`;
    const known = this.signals.get(key);
    if (known !== undefined) return known;
    const made: SharedSignal = { runs: 0, waiting: [], isRaised: false };
    this.signals.set(key, made);
    return made;
  }
}
