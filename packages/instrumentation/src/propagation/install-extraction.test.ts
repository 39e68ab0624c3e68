import { context as contexts, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import type { Player } from '../gate/player.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { positionOf, withPosition } from '../run/position.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { installExtraction } from './install-extraction.ts';

let host: RecordingHost;
let uninstall: () => void;

beforeEach(() => {
  host = new RecordingHost();
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  uninstall = installExtraction();
});

afterEach(async () => {
  uninstall();
  propagation.disable();
  await host.stop();
});

/** Headers that name a span of the app in the run around it. */
function sentOn(): Record<string, string> {
  const headers: Record<string, string> = {};
  trace.getTracer('app').startActiveSpan('handing on', (span) => {
    propagation.inject(contexts.active(), headers);
    span.end();
  });
  return headers;
}

describe('a context that code of a run reads off headers', () => {
  it('stands in the run where it names its trace, below the span of the headers', () => {
    const run = agent('handler', () => {
      const headers = sentOn();
      const read = propagation.extract(ROOT_CONTEXT, headers);
      return [
        scopeOf(read) === scopeOf(contexts.active()),
        headers.traceparent?.split('-')[2],
        trace.getSpanContext(read),
      ];
    });
    const [isPlaced, spanId, span] = run();
    expect(isPlaced).toBe(true);
    expect(span).toMatchObject({ spanId, isRemote: true });
  });

  it('is at the position of the replay that goes on there: what is called in it would be real traffic in a service else', () => {
    const position = { player: {} as Player, cursor: '1'.repeat(16) };
    const read = agent('handler', () =>
      contexts.with(withPosition(contexts.active(), position), () => propagation.extract(ROOT_CONTEXT, sentOn())),
    );
    expect(positionOf(read())).toBe(position);
  });

  it('is left as it is where it names another trace or none, and outside of runs', () => {
    const other = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
    const scopesOf = (): unknown[] => [other, {}].map((headers) => scopeOf(propagation.extract(ROOT_CONTEXT, headers)));
    expect(agent('handler', scopesOf)()).toEqual([undefined, undefined]);
    const own = agent('handler', sentOn)();
    expect(scopeOf(propagation.extract(ROOT_CONTEXT, own))).toBeUndefined();
  });

  it('is read as ever once that is over', () => {
    uninstall();
    expect(agent('handler', () => scopeOf(propagation.extract(ROOT_CONTEXT, sentOn())))()).toBeUndefined();
  });
});
