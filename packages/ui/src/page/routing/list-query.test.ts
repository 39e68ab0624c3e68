import { expect, it } from 'vitest';
import { driftQueryOf, runQueryOf } from './list-query.ts';

const now = Date.parse('2026-11-27T10:00:30.000Z');

it('asks for what the address means', () => {
  expect(runQueryOf({ last: '1h', status: 'error', kept: 'true' }, now)).toMatchObject({
    since: '2026-11-27T09:00:00.000Z',
    status: 'error',
    kept: true,
  });
});

it('says what is wrong with an address, and asks for nothing else instead', () => {
  for (const last of ['soon', 'constructor']) {
    expect(runQueryOf({ last }, now)).toMatchObject({ problem: expect.stringMatching(/^since: /) });
    expect(driftQueryOf({ last }, now)).toMatchObject({ problem: expect.stringMatching(/^since: /) });
  }
});
