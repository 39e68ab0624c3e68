import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { holdsPlaceholder } from './placeholder.ts';
import { redactedValue } from './redact-value.ts';
import { Redactor } from './redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept(value: unknown): string {
  return redactedValue(redactor, encodeValue(value)).payload.data ?? '';
}

describe('an id whose digits would make a number of a payment card', () => {
  it.each([
    'f7a8d553-0bbd-4111-8111-11111116feb3',
    'f7a8d553-0bbd-4111-8111-11112f1eb3aa',
    'a4111111111111111b4c0ffee0c0ffee',
    'F7A8D553-0BBD-4111-8111-11111116FEB3',
  ])('is kept: %s', (id) => {
    const texts = [id, `run-${id}`, `the run ${id} ended`, { id }, { snapshot: JSON.stringify({ id, next: [id] }) }];
    for (const value of texts) expect(kept(value)).toBe(encodeValue(value).payload.data);
  });
});

describe('a number of a payment card', () => {
  const number = '4111111111111111';

  it.each([
    number,
    `card${number}`,
    `f7a8d553-0bbd-${number}`,
    `f7a8d553-0bbd-4111-8111-1111111111aa ${number}`,
    `${'1'.repeat(8)}-1111-1111-1111-111111111111a, ${number}`,
    `${'0'.repeat(40)} ${number}`,
    `a${number}b4c0ffee`,
  ])('is found beside an id, and in what is none: %s', (text) => {
    const found = kept({ text });
    expect([found.includes(number), holdsPlaceholder(found)]).toEqual([false, true]);
  });
});
