import type { LiveOutcome } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST, ATTR_REENACT_REDACTION_KEY } from '@reenact/semconv/reenact';
import { type Crossing, type Exchange, encodeValue, type Payload } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { compareOutcome, type OutcomeComparison } from './outcome-comparison.ts';

function recordedWith(plan: Partial<CrossingPlan>): Crossing {
  const [crossing] = buildRecording({ label: 'tool:t', ...plan }).crossings;
  if (crossing === undefined) throw new TypeError('one crossing was built');
  return crossing;
}

function paths(comparison: OutcomeComparison): string[] {
  return comparison.type === 'changed' ? comparison.difference.entries.map(({ path }) => path) : [comparison.type];
}

const returned = (value: unknown): LiveOutcome => ({ type: 'returned', value: encodeValue(value) });
const threw = (error: unknown): LiveOutcome => ({ type: 'threw', error: encodeValue(error) });
const gone = Object.assign(new RangeError('gone'), { code: 'E_GONE', status: 410, requestId: 'volatile' });

describe('values', () => {
  it('are compared with their types', () => {
    const recorded = recordedWith({ output: { at: new Date(0), count: 1 } });
    expect(paths(compareOutcome(recorded, returned({ at: new Date(0), count: 1 }), []))).toEqual(['equal']);
    expect(paths(compareOutcome(recorded, returned({ at: new Date(0), count: '1' }), []))).toEqual(['$.count']);
  });

  it('say what was and what is, in one line', () => {
    const comparison = compareOutcome(recordedWith({ output: 'yes' }), returned('no'), []);
    expect(comparison).toMatchObject({ recorded: '{"returned":"yes"}', live: '{"returned":"no"}', leaves: [] });
  });
});

describe('an outcome of which no content was captured', () => {
  const below = (plan: Partial<CrossingPlan>, without: object = {}): Crossing => {
    const full = recordedWith(plan);
    const { outcome } = full;
    const digestOf = (payload?: Payload): Payload | undefined =>
      payload === undefined ? undefined : { format: payload.format, digest: payload.digest };
    const value = 'value' in outcome ? { value: digestOf(outcome.value) } : {};
    const error = 'error' in outcome ? { error: digestOf(outcome.error) } : {};
    return {
      ...full,
      capture: 'digest',
      outcome: { ...outcome, ...value, ...error, ...without } as Crossing['outcome'],
    };
  };

  it('is compared by its digest', () => {
    const recorded = below({ output: { allowed: true } });
    expect(paths(compareOutcome(recorded, returned({ allowed: true }), []))).toEqual(['equal']);
    expect(paths(compareOutcome(recorded, returned({ allowed: false }), []))).toEqual(['$']);
    expect(paths(compareOutcome(recorded, threw(gone), []))).toEqual(['$.returned', '$.threw']);
  });

  it('is unverified where that says nothing: of another error, of a stream, and where there is none', () => {
    const unverified = { type: 'unknown', isUnverified: true };
    expect(compareOutcome(below({ error: gone }), threw(new RangeError('gone')), [])).toMatchObject(unverified);
    expect(compareOutcome(below({ output: 1 }, { value: undefined }), returned(1), [])).toMatchObject(unverified);
    const otherKey = new Map([[ATTR_REENACT_REDACTION_KEY, 'another']]);
    const redacted = { ...below({ output: 1 }), attributes: otherKey };
    expect(compareOutcome(redacted, returned(2), [])).toMatchObject(unverified);
    const stream = below({ output: 1 }, { type: 'ended', chunks: [], value: undefined });
    const ended: LiveOutcome = { type: 'ended', chunks: [{ offsetUs: 1, value: encodeValue('a') }] };
    expect(compareOutcome(stream, ended, [])).toMatchObject(unverified);
  });
});

it('a response that was recorded as being one is not compared with what one says now', () => {
  const recorded = recordedWith({ output: new Response('text') });
  const exchange: Exchange = {
    layer: 'fetch',
    attempt: 0,
    startedAtUnixNano: '0',
    request: { method: 'GET', url: '', headers: [] },
  };
  expect(paths(compareOutcome(recorded, returned(undefined), [exchange]))).toEqual(['unknown']);
  expect(paths(compareOutcome(recorded, returned(undefined), []))).not.toEqual(['unknown']);
});

describe('errors', () => {
  it('are equal by class, message, code and status; stacks and other fields do not count', () => {
    const again = Object.assign(new RangeError('gone'), { code: 'E_GONE', status: 410, requestId: 'other' });
    expect(paths(compareOutcome(recordedWith({ error: gone }), threw(again), []))).toEqual(['equal']);
  });

  it('differ in each of these', () => {
    const other = Object.assign(new TypeError('went'), { code: 'E_WENT', status: 404 });
    expect(paths(compareOutcome(recordedWith({ error: gone }), threw(other), []))).toEqual([
      '$.class',
      '$.name',
      '$.message',
      '$.code',
      '$.status',
    ]);
  });

  it('that are not errors are compared as they are', () => {
    expect(paths(compareOutcome(recordedWith({ error: 'plain' }), threw('plain'), []))).toEqual(['equal']);
  });

  it('in place of a value show both', () => {
    expect(paths(compareOutcome(recordedWith({ output: 1 }), threw(gone), []))).toEqual(['$.returned', '$.threw']);
  });
});

describe('streams', () => {
  const recorded = recordedWith({
    chunks: [
      [0, 'a'],
      [9, 'b'],
    ] as const,
  });
  const chunk = (offsetUs: number, value: unknown) => ({ offsetUs, value: encodeValue(value) });

  it('are compared chunk by chunk, whenever they came', () => {
    const same: LiveOutcome = { type: 'ended', chunks: [chunk(5, 'a'), chunk(50, 'b')] };
    expect(paths(compareOutcome(recorded, same, []))).toEqual(['equal']);
    const longer: LiveOutcome = { type: 'ended', chunks: [chunk(5, 'a'), chunk(6, 'c'), chunk(7, 'd')] };
    expect(paths(compareOutcome(recorded, longer, []))).toEqual(['$.chunks[1]', '$.chunks[2]']);
  });
});

describe('wire exchanges', () => {
  const exchange = (body: string, contentType: string): Exchange => ({
    layer: 'fetch',
    attempt: 0,
    startedAtUnixNano: '0',
    request: { method: 'POST', url: 'https://api.example', headers: [] },
    response: {
      status: 200,
      statusText: 'OK',
      url: 'https://api.example',
      headers: [['Content-Type', contentType]],
      headersAfterUs: 1,
      chunks: [[2, body]],
      end: 'complete',
      endAfterUs: 3,
      hasBody: true,
    },
  });
  const returnedNothing = returned(undefined);

  it('are compared by their response bodies, parsed', () => {
    const recorded = recordedWith({ call: 'exchange', exchanges: [exchange('{"text":"sell"}', 'application/json')] });
    const same = exchange('{ "text": "sell" }', 'application/json; charset=utf-8');
    expect(paths(compareOutcome(recorded, returnedNothing, [same]))).toEqual(['equal']);
    const other = compareOutcome(recorded, returnedNothing, [exchange('{"text":"hold"}', 'application/json')]);
    expect(paths(other)).toEqual(['$[0].body.text']);
    expect(other).toMatchObject({ leaves: ['hold'] });
  });

  it('of event streams are compared event by event', () => {
    const events = (word: string): string => `data: {"delta":"I "}\n\ndata: {"delta":"${word}"}\n\ndata: [DONE]\n\n`;
    const recorded = recordedWith({ call: 'exchange', exchanges: [exchange(events('sell'), 'text/event-stream')] });
    const live = exchange(events('hold'), 'text/event-stream');
    expect(paths(compareOutcome(recorded, returnedNothing, [live]))).toEqual(['$[0].body[1].delta']);
  });

  it('that were not seen leave the outcome unknown', () => {
    const recorded = recordedWith({ call: 'exchange', exchanges: [exchange('{}', 'application/json')] });
    expect(compareOutcome(recorded, returnedNothing, []).type).toBe('unknown');
    expect(compareOutcome(recorded, threw(gone), []).type).toBe('changed');
  });
});

describe('an outcome that was not recorded', () => {
  it('is unknown, and one that never came differs from any', () => {
    const blank = recordedWith({ without: [ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST] });
    expect(compareOutcome(blank, returned(1), []).type).toBe('unknown');
    expect(paths(compareOutcome(recordedWith({ outcome: 'pending' }), returned(1), []))).toEqual([
      '$.pending',
      '$.returned',
    ]);
  });
});
