import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing, Exchange } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { CLIENT_LIMIT_LATE_US_MAX } from '../limits.ts';
import { clientLimitUs } from './client-limit.ts';

/** A model call whose first attempt failed and whose second was answered 300 ms after it had begun, 500 ms after the call. */
function answeredAtLast(): Crossing {
  const [, call] = buildRecording({
    label: 'agent:a',
    children: [{ label: 'model:openai.chat', settled: 0 }],
  }).crossings;
  if (call === undefined) throw new TypeError('there is a call');
  const attempt = (number: number, afterUs: number): Exchange => ({
    layer: 'fetch',
    attempt: number,
    startedAtUnixNano: String(call.startTimeUnixNano + BigInt(afterUs) * 1_000n),
    request: { method: 'POST', url: 'http://provider.test/', headers: [] },
  });
  const answered: Exchange['response'] = {
    status: 200,
    statusText: '',
    url: '',
    headers: [],
    headersAfterUs: 300_000,
    hasBody: true,
    chunks: [],
    end: 'complete',
    endAfterUs: 900_000,
  };
  return { ...call, exchanges: [attempt(0, 0), { ...attempt(1, 200_000), response: answered }] };
}

describe('a limit that the client of a served call sets to its attempt', () => {
  const call = answeredAtLast();

  it('is due just after the answer that came before it, where it was late', () => {
    expect(clientLimitUs(call, 500_000 - CLIENT_LIMIT_LATE_US_MAX)).toBe(500_001);
    expect(clientLimitUs(call, 499_000)).toBe(500_001);
  });

  it('is due just after the whole answer, where it was late for that', () => {
    expect(clientLimitUs(call, 1_100_000 - CLIENT_LIMIT_LATE_US_MAX)).toBe(1_100_001);
    expect(clientLimitUs(call, 1_099_000)).toBe(1_100_001);
  });

  it('is due by its delay where that is another than then, and where it came after the answer, or there was none', () => {
    expect(clientLimitUs(call, 499_999 - CLIENT_LIMIT_LATE_US_MAX)).toBeUndefined();
    expect(clientLimitUs(call, 500_002)).toBeUndefined();
    expect(clientLimitUs(call, 1_100_002)).toBeUndefined();
    expect(clientLimitUs(call, 150_000)).toBeUndefined();
  });
});
