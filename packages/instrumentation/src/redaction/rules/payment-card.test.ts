import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';
import { holdsPlaceholder } from '../text/placeholder.ts';

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

  it.each([
    'be203016-1c65-405b-9bae-7937c87cfc55 1795718264418 3',
    '6fe070fb-a9a9-413b-a46a-bc72b72aef48 1795718264395 3',
    '12 4111111-1a2b-4c3d-8e4f-0123456789ab',
    'a4111111111111111b4c0ffee0c04111 1111 1111 1111',
  ])('is kept with the numbers beside it: %s', (text) => {
    expect(kept(text)).toBe(JSON.stringify(text));
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
    `tag57=${number}D25121011000012300000F`,
    `${number}d251210110000123`,
    `${number}D25121011000012300000F${'0'.repeat(26)}`,
  ])('is found beside an id, and in what is none: %s', (text) => {
    const found = kept({ text });
    expect([found.includes(number), holdsPlaceholder(found)]).toEqual([false, true]);
  });
});

describe('numbers of payment cards beside other numbers', () => {
  const visa = '4111 1111 1111 1111';

  it.each([
    [`${visa} 12/29`, `1 12/29`],
    [`card ${visa} 123`, 'card 1 123'],
    [`4111111111111111 12-29`, '1 12-29'],
    ['411111 1111111111', '1'],
    [`be203016-1c65-405b-9bae-7937c8741111 ${visa}`, 'be203016-1c65-405b-9bae-7937c8741111 1'],
    [`be203016-1c65-405b-9bae-7937c8744111 1111 ${visa}`, 'be203016-1c65-405b-9bae-7937c8744111 1111 1'],
    [`order 12 ${visa}`, 'order 12 1'],
    [`2026-11-26 ${visa}`, '2026-11-26 1'],
    [`7 3782 822463 10005 1234`, '7 1 1234'],
    [`${visa} 5500 0000 0000 0004`, '1 1'],
    [`${'5500-0000-0000-0004 '.repeat(40)}7`, `${'1 '.repeat(40)}7`],
    [`${'12 '.repeat(300)}${visa} 12`, `${'12 '.repeat(300)}1 12`],
  ])('are found: %s', (text, shown) => {
    expect(JSON.parse(kept(text)).replaceAll(/\[redacted:payment-card:[0-9a-f]{16}\]/g, '1')).toBe(shown);
  });

  it.each([
    '1024 2048 4096 8192 1234',
    '41 11 11 11 11 11 11 11 12',
    '4111 1111 1111 1112 12',
    '0'.repeat(300),
    '4'.repeat(21),
    '4111  1111 1111 1111 9',
    '55 1795718264418 3',
  ])('are not: %s', (text) => {
    expect(kept(text)).toBe(JSON.stringify(text));
  });
});
