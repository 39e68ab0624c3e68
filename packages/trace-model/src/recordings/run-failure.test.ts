import type { Span } from '@reenact/otlp';
import { describe, expect, it } from 'vitest';
import type { Crossing } from '../crossings/crossing.ts';
import { payloadOf } from '../payloads/payload.ts';
import { encodeValue } from '../values/value-codec.ts';
import { type FailedRun, runFailure } from './run-failure.ts';

interface Planned {
  /** Letters of where it stands: `ab` is b below a. */
  readonly place: string;
  readonly error?: Error;
}

/** One failed run of these crossings. Its root failed. */
function runOf(planned: readonly Planned[], members: Partial<Span> = {}): FailedRun {
  const crossings = planned.map(({ place, error }): Crossing => {
    const parent = place.at(-2);
    const threw = error === undefined ? { type: 'returned' } : { type: 'threw', error: encodeValue(error).payload };
    return {
      spanId: place.at(-1),
      ...(parent === undefined ? {} : { parentSpanId: parent }),
      kind: parent === undefined ? 'agent' : 'tool',
      name: place.at(-1),
      input: payloadOf('json', `["${place}"]`),
      outcome: threw,
      dialect: 'reenact',
      attributes: new Map(error === undefined ? [] : [['error.type', error.constructor.name]]),
    } as unknown as Crossing;
  });
  const spans = crossings.map(({ spanId, parentSpanId, outcome }, index): [string, Span] => [
    spanId,
    {
      traceId: 'f',
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name: spanId,
      startTimeUnixNano: `${index + 1}`,
      endTimeUnixNano: '9',
      ...(outcome.type === 'threw' || index === 0 ? { status: { code: 2 } } : {}),
      ...(index === 0 ? members : {}),
    },
  ]);
  return { crossings, spans: new Map(spans) };
}

const broker = new TypeError('no such symbol');
const order = new RangeError('the order failed');
const late = new Error('too late');

/** The letters of the spans that are named. */
function namesOf(...planned: Planned[]): string {
  const failure = runFailure(runOf(planned));
  return `${failure?.spanId ?? ''}${failure?.inside?.spanId ?? ''}`;
}

describe('how a run failed, of crossings that did', () => {
  it('names the innermost whose error ended it, of several that failed', () => {
    const [a, ab] = [
      { place: 'a', error: broker },
      { place: 'ab', error: broker },
    ];
    expect(namesOf(a, ab, { place: 'ac', error: late })).toBe('b');
    expect(namesOf(a, ab, { place: 'bc', error: broker }, { place: 'ad', error: broker }, { place: 'ae' })).toBe('d');
    expect(namesOf({ place: 'a', error: order }, { place: 'ab', error: order }, { place: 'bc', error: broker })).toBe(
      'b',
    );
  });

  it('names the run and the last failure inside, where the error is its own', () => {
    const a = { place: 'a', error: order };
    expect(namesOf(a, { place: 'ab', error: broker }, { place: 'ac', error: late }, { place: 'ad' })).toBe('ac');
    expect(namesOf(a, { place: 'ab' })).toBe('a');
  });

  it('is told with what it failed, and given what', () => {
    const failure = runFailure(
      runOf([
        { place: 'a', error: order },
        { place: 'ab', error: broker },
      ]),
    );
    expect(failure).toMatchObject({
      name: 'agent:a',
      error: 'RangeError: the order failed',
      input: 'a',
      inside: { name: 'tool:b', error: 'TypeError: no such symbol', input: 'ab' },
    });
  });

  it('is that of the failed root, where the trace has another run that failed', () => {
    expect(namesOf({ place: 'a', error: order }, { place: 'b', error: broker })).toBe('a');
    expect(namesOf({ place: 'a' }, { place: 'ab', error: broker }, { place: 'ac', error: late })).toBe('c');
  });

  it('is none of a run that went on in spite of them', () => {
    const run = runOf([{ place: 'a' }, { place: 'ab', error: broker }], { status: { code: 1 } });
    expect(runFailure(run)).toBeUndefined();
    expect(runFailure({ crossings: [], spans: new Map() })).toBeUndefined();
  });
});

/** A run without crossings. */
function spansOf(planned: readonly (readonly [spanId: string, members: Partial<Span>])[]): FailedRun {
  const spans = planned.map(([spanId, members], index): [string, Span] => [
    spanId,
    {
      traceId: 'f',
      spanId,
      ...(index === 0 ? {} : { parentSpanId: planned[0]?.[0] ?? '' }),
      name: spanId,
      startTimeUnixNano: `${index}`,
      endTimeUnixNano: '9',
      ...members,
    },
  ]);
  return { crossings: [], spans: new Map(spans) };
}

describe('how a run failed, of spans that are no crossings', () => {
  const failed = { status: { code: 2 } } as const;
  const exceptionOf = (type: string, message: string) => ({
    timeUnixNano: '1',
    name: 'exception',
    attributes: [
      { key: 'exception.type', value: { stringValue: type } },
      { key: 'exception.message', value: { stringValue: message } },
    ],
  });

  it('is the last exception of the root, beside what its status says', () => {
    const events = [exceptionOf('Handled', 'tried again'), exceptionOf('KeyError', 'no such key')];
    const root = { status: { code: 2, message: 'the order failed' }, events } as const;
    expect(
      runFailure(
        spansOf([
          ['a', root],
          ['b', failed],
        ]),
      ),
    ).toEqual({
      spanId: 'a',
      name: 'a',
      error: 'KeyError: no such key',
      status: 'the order failed',
    });
  });

  it('is also the last span that failed, where the root says nothing', () => {
    const told = runFailure(
      spansOf([
        ['a', failed],
        ['b', { status: { code: 2, message: 'gone' } }],
        ['c', {}],
      ]),
    );
    expect(told).toEqual({ spanId: 'a', name: 'a', inside: { spanId: 'b', name: 'b', error: 'gone' } });
    expect(runFailure(spansOf([['a', failed]]))).toEqual({ spanId: 'a', name: 'a' });
  });
});
