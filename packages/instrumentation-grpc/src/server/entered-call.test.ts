import type { Crossing } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { enteredCallOf } from './entered-call.ts';

function entered(input: unknown): Crossing {
  return {
    input: input === undefined ? undefined : { format: 'json', data: JSON.stringify(input) },
  } as unknown as Crossing;
}

const whole = { deadlineUnixMs: undefined, messagesAfterUs: [], endedAfterUs: 0 };

describe('a recorded call that is made again', () => {
  it('says when its messages came and were ended, and how long its caller waits', () => {
    const messages = [
      { text: 'a', afterUs: 10 },
      { base64: '/w==', afterUs: 2_000 },
    ];
    const times = { messagesAfterUs: [10, 2_000], deadlineUnixMs: undefined };
    expect(enteredCallOf(entered({ messages, endedAfterUs: 2_500 }))).toEqual({ ...times, endedAfterUs: 2_500 });
    expect(enteredCallOf(entered({ messages, isOpen: true }))).toEqual({ ...times, endedAfterUs: undefined });
    expect(enteredCallOf(entered({ deadlineUnixMs: 17 }))).toEqual({ ...whole, deadlineUnixMs: 17 });
  });

  it('had all of them from the start, and ended, where a recording says nothing of times', () => {
    const old = { messages: [{ text: 'a' }, { text: 'b' }] };
    expect(enteredCallOf(entered(old))).toEqual({ ...whole, messagesAfterUs: [0, 0] });
    expect(enteredCallOf(entered(undefined))).toEqual(whole);
    expect(enteredCallOf(entered('not read'))).toEqual(whole);
  });
});
