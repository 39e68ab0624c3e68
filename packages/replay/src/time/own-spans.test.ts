import { context, type Span, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { installDrawRecording } from '@reenact/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { virtualRun } from '../testdata/virtual-run.ts';

/** As a tracer of an SDK does, it draws an id for each span, of two numbers. */
class OwnTracer implements Tracer {
  startSpan(): Span {
    const spanId = [Math.random(), Math.random()].map((drawn) =>
      Math.floor(drawn * 2 ** 32 + 1)
        .toString(16)
        .padStart(8, '0'),
    );
    return trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: spanId.join(''), traceFlags: 0 });
  }

  startActiveSpan(): never {
    throw new TypeError('nobody asks for it here');
  }
}

let stopRecording = (): void => undefined;

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider({ getTracer: () => new OwnTracer() });
});

afterEach(() => {
  stopRecording();
  stopRecording = () => undefined;
  trace.disable();
  context.disable();
});

/** What an agent draws that makes a span of the app's own first. */
function drawnAfterSpan(): number {
  trace.getTracer('app').startSpan('own').end();
  return Math.random();
}

/** As a test of the user replays it, whose process has the hook or an SDK of its own alone. */
describe.each(['beside the hook', 'without the hook'])(
  "spans of an app's own SDK in a replay inside a process, %s",
  (where) => {
    beforeEach(() => {
      if (where === 'beside the hook') stopRecording = installDrawRecording({ environment: {} });
    });

    it('draw beside a run that was recorded so', async () => {
      const { value, notes } = await virtualRun(drawnAfterSpan, { draws: { 'Math.random': [0.5], besideSpans: true } });
      expect([value, notes]).toEqual([0.5, []]);
    });

    it('draw what a recording of before holds', async () => {
      const { value, notes } = await virtualRun(drawnAfterSpan, { draws: { 'Math.random': [0.1, 0.2, 0.5] } });
      expect([value, notes]).toEqual([0.5, []]);
    });

    it('are as before once it is over', async () => {
      const startOf = () => trace.getTracer('app').startSpan;
      const before = startOf();
      const during = await virtualRun(startOf, { draws: { besideSpans: true } });
      expect(startOf()).toBe(before);
      expect(during.value === before).toBe(where === 'beside the hook');
    });
  },
);
