import type { Span } from '@reenact/otlp';
import { type FailedRun, type FailedSpan, runFailure } from '@reenact/trace-model';
import type { RunTree, ToldFailedSpan } from '@reenact/trace-model/collector-api';
import { PREVIEW_CHARACTERS_READ } from './limits.ts';
import { beginningOf } from './summaries/beginning-of.ts';

function told({ spanId, name, error, status, input }: FailedSpan): ToldFailedSpan {
  return {
    spanId,
    name,
    ...(error === undefined ? {} : { error: beginningOf(error) }),
    ...(status === undefined ? {} : { status: beginningOf(status) }),
    ...(input === undefined ? {} : { input: beginningOf(input) }),
  };
}

/** Spans by their ids. */
export function bySpanId(spans: readonly Span[]): ReadonlyMap<string, Span> {
  return new Map(spans.map((span) => [span.spanId, span]));
}

/** How a run failed, as far as its tree says it; nothing where it did not. */
export function toldFailure(run: FailedRun): Pick<RunTree, 'failure'> {
  const failure = runFailure(run, PREVIEW_CHARACTERS_READ);
  if (failure === undefined) return {};
  const { inside } = failure;
  return { failure: { ...told(failure), ...(inside === undefined ? {} : { inside: told(inside) }) } };
}

/** The same of a run without what was said in it, of which only its spans tell with what it failed. */
export function outlinedFailure({ crossings, spans }: FailedRun): Pick<RunTree, 'failure'> {
  const { failure } = toldFailure({ crossings, spans });
  if (failure === undefined) return {};
  const { input: _input, inside, ...facts } = failure;
  if (inside === undefined) return { failure: facts };
  const { input: _inputInside, ...insideFacts } = inside;
  return { failure: { ...facts, inside: insideFacts } };
}
