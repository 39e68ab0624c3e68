import { type RunSummary, runQuerySchema } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { earlierRunQuery, lastGoodRun } from './earlier-run-query.ts';

const startedAt = '2026-11-27T10:00:00.000Z';
const run = (members: object): RunSummary =>
  ({ name: 'agent:clerk', service: 'shop', startedAt, ...members }) as RunSummary;

it('asks for good runs before this one, by what is known of it', () => {
  const usual = { status: 'ok', until: startedAt, limit: 50 };
  expect(earlierRunQuery(run({}))).toEqual({ ...usual, service: 'shop', kind: 'agent', name: 'clerk' });
  expect(earlierRunQuery(run({ name: 'GET a:80', service: '' }))).toEqual(usual);
  for (const name of ['', 'work', ':', 'tool:'])
    expect(runQuerySchema.parse(earlierRunQuery(run({ name })))).toEqual({ ...usual, service: 'shop' });
});

it('takes the newest of the same root that has ended', () => {
  const earlier = [
    run({ name: 'agent:chief' }),
    run({ isPending: true }),
    run({ service: 'mail' }),
    run({ traceId: 'a' }),
    run({ traceId: 'b' }),
  ];
  expect(lastGoodRun(run({}), earlier)).toMatchObject({ traceId: 'a' });
  expect(lastGoodRun(run({}), [])).toBeUndefined();
});
