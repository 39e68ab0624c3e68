import { type Crossing, payloadTree } from '@reenact/trace-model';

/** What a replay needs of the recorded call that it makes again, beside what is sent. */
export interface EnteredCall {
  /** Milliseconds since 1970. */
  readonly deadlineUnixMs: number | undefined;
  /** When each message of a streamed request came, microseconds after the call began; 0 where that was not recorded. */
  readonly messagesAfterUs: readonly number[];
  /** When they were ended; undefined where they were not. */
  readonly endedAfterUs: number | undefined;
}

function numberOf(value: unknown, key: string): number | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** Reads what a recorded call says of its times. Recordings of before say none: all was there from the start, and ended. */
export function enteredCallOf({ input }: Crossing): EnteredCall {
  const tree: unknown = input?.data === undefined ? undefined : payloadTree(input);
  const messages: unknown = typeof tree === 'object' && tree !== null ? Reflect.get(tree, 'messages') : undefined;
  const times = Array.isArray(messages) ? messages.map((message) => numberOf(message, 'afterUs') ?? 0) : [];
  const isOpen = typeof tree === 'object' && tree !== null && Reflect.get(tree, 'isOpen') === true;
  return {
    deadlineUnixMs: numberOf(tree, 'deadlineUnixMs'),
    messagesAfterUs: times,
    endedAfterUs: isOpen ? undefined : (numberOf(tree, 'endedAfterUs') ?? times.at(-1) ?? 0),
  };
}
