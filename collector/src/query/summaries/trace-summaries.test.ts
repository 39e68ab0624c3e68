import { ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import type { ComparedSpan, TraceName } from '../../store/store.ts';
import { toStoreError } from '../../store/store-error.ts';
import { SUMMARY_READ_FAILURES_MAX } from '../limits.ts';
import { ContentReferences } from '../traces/content-references.ts';
import { type TraceReader, TraceSummaries } from './trace-summaries.ts';

const SPAN_ID = '00f067aa0ba902b7';
const nameOf = (number: number): TraceName => ['default', number.toString(16).padStart(32, '0')];
const GONE = new ReenactError('not-found', 'It is gone.');

/** An error of the system, as a reader gives it. */
const failing = (code: string) => toStoreError(Object.assign(new Error(code), { code }), '/data');
const failingDatabase = (errcode: number) => toStoreError(Object.assign(new Error('sqlite'), { errcode }), '/data');

interface Place {
  readonly isLarge?: boolean;
  /** What happens to whoever reads it, one time after the other; then it is gone. */
  readonly errors: ReenactError[];
  readonly spanIdsError?: ReenactError;
  /** Whether it is read, and fails only as what was read is looked at. */
  readonly failsLater?: boolean;
}

/** A span whose making fails, which is not in the turn in which it is read. */
function laterFailing(error: ReenactError): ComparedSpan {
  const span = { bytes: new Uint8Array(0), spanId: SPAN_ID, versions: 1 };
  const fail = () => {
    throw error;
  };
  return Object.defineProperty(span, 'isConflicting', { get: fail }) as unknown as ComparedSpan;
}

/** A store in which each trace fails as it is told to. */
function summariesOf(places: readonly Place[]): TraceSummaries {
  const placeOf = (traceId: string) => places[Number.parseInt(traceId, 16)] as Place;
  const fail = ({ errors, failsLater = false }: Place): readonly ComparedSpan[] => {
    const error = errors.shift() ?? GONE;
    if (failsLater) return [laterFailing(error)];
    throw error;
  };
  const reader: TraceReader = {
    readTrace: (_, traceId) => (placeOf(traceId).isLarge === true ? undefined : fail(placeOf(traceId))),
    listSpans: (_, traceId) => ({
      references: [{ id: Number.parseInt(traceId, 16), spanId: SPAN_ID, versions: 1 }],
      spanCount: 1,
      conflictingSpans: 0,
    }),
    readSpans: ([reference]) => fail(places[reference?.id ?? 0] as Place),
    readLogs: () => [],
    spanIds: (_, traceId) => {
      const { spanIdsError } = placeOf(traceId);
      if (spanIdsError !== undefined) throw spanIdsError;
      return [SPAN_ID];
    },
    trim: () => undefined,
  };
  return new TraceSummaries(reader, new ContentReferences(undefined));
}

const ask = (summaries: TraceSummaries, ...numbers: number[]) =>
  summaries.summarise({ traces: numbers.map(nameOf), keepsText: false });

async function namesAfter(summaries: TraceSummaries, attempts: number, ...numbers: number[]) {
  for (let attempt = 1; attempt < attempts; attempt += 1) await expect(ask(summaries, ...numbers)).rejects.toThrow();
  return (await ask(summaries, ...numbers)).map(({ run }) => run?.summary);
}

describe('what fails while a large run is read in pieces', () => {
  it('fails that run only, and not the next ones', async () => {
    const summaries = summariesOf([
      { isLarge: true, errors: [failing('EMFILE')] },
      { isLarge: true, errors: [] },
    ]);
    await expect(ask(summaries, 0)).rejects.toMatchObject({ code: 'store-failed' });
    expect(await ask(summaries, 1)).toEqual([{ run: null, bytes: 0 }]);
    expect(await ask(summaries, 0)).toEqual([{ run: null, bytes: 0 }]);
  });
});

describe('several traces that cannot be read', () => {
  it('reject the call, and leave no rejection that nobody handles', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const summaries = summariesOf([
        { failsLater: true, errors: [failing('EMFILE')] },
        { errors: [failing('EMFILE')] },
      ]);
      await expect(ask(summaries, 0, 1)).rejects.toMatchObject({ code: 'store-failed' });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unhandled).toEqual([]);
  });
});

describe('a trace that cannot be read time and again', () => {
  it.each([
    ['EIO of a file', () => failing('EIO')],
    ['SQLITE_IOERR', () => failingDatabase(10)],
    ['SQLITE_CORRUPT', () => failingDatabase(11)],
  ])('is listed as unreadable after some times of %s, beside others', async (_, makeError) => {
    for (const isLarge of [false, true]) {
      const errors = Array.from({ length: SUMMARY_READ_FAILURES_MAX }, makeError);
      const summaries = summariesOf([{ isLarge, errors }, { errors: [] }]);
      const numbers = isLarge ? [0] : [0, 1];
      const [run, other] = await namesAfter(summaries, SUMMARY_READ_FAILURES_MAX, ...numbers);
      expect(run).toMatchObject({ name: 'unreadable', rootSpanId: SPAN_ID, spanCount: 1 });
      expect(other).toBe(undefined);
    }
  });

  it('is listed, too, where the index does not even give its spans', async () => {
    const errors = Array.from({ length: SUMMARY_READ_FAILURES_MAX }, () => failingDatabase(11));
    const summaries = summariesOf([{ errors, spanIdsError: failingDatabase(11) }]);
    const [run] = await namesAfter(summaries, SUMMARY_READ_FAILURES_MAX, 0);
    expect(run).toMatchObject({ name: 'unreadable', spanCount: 0 });
  });

  it('is waited for as long as it lasts where it says nothing about that trace', async () => {
    for (const makeError of [() => failing('EMFILE'), () => failing('ENOSPC'), () => failingDatabase(5)]) {
      const errors = Array.from({ length: 3 * SUMMARY_READ_FAILURES_MAX }, makeError);
      const summaries = summariesOf([{ errors }]);
      expect(await namesAfter(summaries, errors.length + 1, 0)).toEqual([undefined]);
    }
  });

  it('begins anew once it was read', async () => {
    const errors = Array.from({ length: SUMMARY_READ_FAILURES_MAX - 1 }, () => failing('EIO'));
    const summaries = summariesOf([{ errors }]);
    expect(await namesAfter(summaries, SUMMARY_READ_FAILURES_MAX, 0)).toEqual([undefined]);
    errors.push(failing('EIO'));
    await expect(ask(summaries, 0)).rejects.toThrow();
  });
});
