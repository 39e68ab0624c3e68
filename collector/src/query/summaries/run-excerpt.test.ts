import { readFileSync } from 'node:fs';
import { readFixture } from '@reenact/trace-model/reading';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXCERPT_CHARACTERS_MAX } from '../limits.ts';
import { assembleTrace } from '../traces/assemble-trace.ts';
import type { ReadCrossing } from '../traces/read-span.ts';
import { ExcerptCollector, type RunExcerpt } from './run-excerpt.ts';
import { summariseRun } from './run-summary.ts';

const root = new URL('../../../../', import.meta.url);

function excerptOf(file: string, keepsText = true): RunExcerpt {
  const data = readFixture(readFileSync(new URL(file, root), 'utf8'));
  const { asked, answered } = summariseRun(assembleTrace(data), { conflictingSpans: 0, keepsText }).summary;
  return { ...(asked === undefined ? {} : { asked }), ...(answered === undefined ? {} : { answered }) };
}

function crossing(members: Partial<ReadCrossing>): ReadCrossing {
  return {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    kind: 'agent',
    name: 'support',
    call: 'promise',
    effect: 'read',
    capture: 'full',
    canonicalPolicy: 'arguments/1',
    outcome: { type: 'pending' },
    exchanges: [],
    startTimeUnixNano: 5n,
    endTimeUnixNano: 9n,
    lossy: [],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
    ...members,
  };
}

const json = (value: unknown) => ({ format: 'json' as const, digest: '', data: JSON.stringify(value) });

function ofOne(one: ReadCrossing, ...others: readonly ReadCrossing[]): RunExcerpt {
  const collector = new ExcerptCollector();
  for (const each of [one, ...others]) collector.add(each);
  return collector.of(one.spanId);
}

describe('what a list says of a run', () => {
  it.each([
    [
      'the words of an agent, asked and answered',
      'test/fixtures/runs/v1/trading.otlp.jsonl',
      /^\{"request":"Please sell/,
      /^Done\. I sold/,
    ],
    ['what it failed with', 'test/fixtures/runs/v1/crash.otlp.jsonl', undefined, /^✗ TypeError: Cannot read/],
    [
      'the first question and last answer of models that no agent stands around',
      'test/fixtures/runs/v1/bare-model-calls.otlp.jsonl',
      /^first$/,
      /^The provider answers\.$/,
    ],
    [
      'the same of other instrumentations',
      'packages/dialects/src/openllmetry/testdata/traceloop-node.jsonl',
      /^Where is my order 4711\?$/,
      /^Your order 4711 is out/,
    ],
  ])('is %s', (_what, file, asked, answered) => {
    const excerpt = excerptOf(file);
    expect(excerpt.answered).toMatch(answered);
    if (asked === undefined) expect(excerpt).not.toHaveProperty('asked');
    else expect(excerpt.asked).toMatch(asked);
  });

  it('is nothing where the collector keeps no text', () => {
    expect(excerptOf('test/fixtures/runs/v1/trading.otlp.jsonl', false)).toEqual({});
  });

  it('is the body of a request, or its address where that asks something, and no code of an answer', () => {
    const canonicalPolicy = 'http-request/1';
    const entry = (input: object) =>
      crossing({ canonicalPolicy, call: 'exchange', input: json(input), outcome: { type: 'returned' } });
    expect(ofOne(entry({ method: 'POST', url: '/chat', body: 'Where is it?' }))).toEqual({ asked: 'Where is it?' });
    expect(ofOne(entry({ method: 'GET', url: '/chat?q=where' }))).toEqual({ asked: '/chat?q=where' });
    const model = crossing({
      kind: 'model',
      spanId: 'ef'.repeat(8),
      input: json({ messages: [{ role: 'user', content: 'Hm?' }] }),
    });
    expect(ofOne(entry({ method: 'GET', url: '/chat' }), model)).toEqual({ asked: 'Hm?' });
  });

  it('is nothing of what was not captured, says nothing, or is not what it says', () => {
    const digestOnly = { format: 'json' as const, digest: 'sha256:00' };
    const returned = (value: object) => ({ type: 'returned' as const, value: value as ReturnType<typeof json> });
    expect(ofOne(crossing({ input: digestOnly, outcome: returned(digestOnly) }))).toEqual({});
    expect(ofOne(crossing({ input: json([]), outcome: returned(json(null)) }))).toEqual({});
    expect(ofOne(crossing({ input: { ...digestOnly, data: '{"a":' } }))).toEqual({});
    expect(ofOne(crossing({ name: 'process', input: json([]), outcome: returned(json({ exitCode: 0 })) }))).toEqual({});
  });

  it('is one short line of whole characters, however long and whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (text) => {
        const { asked = '' } = ofOne(crossing({ input: json([text.toWellFormed()]) }));
        expect(asked.length).toBeLessThanOrEqual(EXCERPT_CHARACTERS_MAX);
        expect(asked).not.toContain('\n');
        expect(asked.isWellFormed()).toBe(true);
      }),
    );
  });
});
