import { pristine } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import { EXPECTED_CALL_MS_MAX } from '../limits.ts';

/** Tells a run that its message has come; `isHanded`: and the program. */
type Raise = (isHanded: boolean) => void;

interface SharedMessage {
  /** How many runs that have begun hold it. */
  runs: number;
  readonly waiting: Raise[];
  isRaised: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * The recorded signals and standard input of a process. One that came while several runs went on is recorded in each of them; it comes once, when all of them have
 * come to its place, or after a while where one does not.
 */
export class RaisedMessages {
  private readonly messages = new Map<string, SharedMessage>();

  /** A run begins that holds this message. */
  expect(recorded: Pick<Crossing, 'name' | 'startTimeUnixNano'>): void {
    this.messageOf(recorded).runs += 1;
  }

  /** A run has come to its place. Gives how to take that back, where it has not been raised by then. */
  due(recorded: Pick<Crossing, 'name' | 'startTimeUnixNano'>, raise: Raise): () => void {
    const message = this.messageOf(recorded);
    message.waiting.push(raise);
    if (message.isRaised || message.waiting.length >= message.runs) this.raise(message);
    else message.timer ??= pristine.setTimeout(() => this.raise(message), EXPECTED_CALL_MS_MAX);
    return () => {
      const index = message.waiting.indexOf(raise);
      if (index !== -1) message.waiting.splice(index, 1);
    };
  }

  private raise(message: SharedMessage): void {
    if (message.timer !== undefined) pristine.clearTimeout(message.timer);
    const waiting = message.waiting.splice(0);
    const isFirst = !message.isRaised;
    message.isRaised ||= waiting.length > 0;
    // All runs are told before any listener does something about it.
    for (const [index, raise] of waiting.entries()) raise(isFirst && index === waiting.length - 1);
  }

  private messageOf({ name, startTimeUnixNano }: Pick<Crossing, 'name' | 'startTimeUnixNano'>): SharedMessage {
    const key = `${name} ${startTimeUnixNano}`;
    const known = this.messages.get(key);
    if (known !== undefined) return known;
    const made: SharedMessage = { runs: 0, waiting: [], isRaised: false };
    this.messages.set(key, made);
    return made;
  }
}
