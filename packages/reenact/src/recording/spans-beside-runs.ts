import { type Context, context as contexts, type Span, type SpanOptions, type Tracer, trace } from '@opentelemetry/api';
import { addSpanOfProcess, asOwnWork } from '@reenact/instrumentation';
import { placeOfSpan } from './spans-in-process-run.ts';

/** Methods of a span that read a clock. */
const TIMED_METHODS = ['addEvent', 'recordException', 'end'] as const;

function timedBeside(span: Span): Span {
  if (!span.isRecording()) return span;
  for (const name of TIMED_METHODS) {
    const method = span[name];
    const beside = (...parameters: unknown[]): unknown => asOwnWork(() => Reflect.apply(method, span, parameters));
    Object.defineProperty(span, name, { value: beside, configurable: true, writable: true });
  }
  return span;
}

/**
 * The tracer of an SDK, with spans that draw their ids and read their times beside every run. How many spans an app or its framework makes
 * may depend on what the process had done before; what the agent draws after them must not.
 * `isOfAgents`: all of its spans tell of agents, models and tools.
 */
export function besideRuns(tracer: Tracer, isOfAgents = false): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, given: Context = contexts.active()): Span => {
    const { context, isInProcessRun } = placeOfSpan(options, given, isOfAgents);
    const span = timedBeside(asOwnWork(() => tracer.startSpan(name, options, context)));
    if (isInProcessRun) addSpanOfProcess(span);
    return span;
  };
  const startActiveSpan = (name: string, ...parameters: unknown[]): unknown => {
    const work = parameters.pop();
    // As an SDK answers it.
    if (typeof work !== 'function') return undefined;
    const [options, given] = parameters as [SpanOptions?, Context?];
    const context = given ?? contexts.active();
    const span = startSpan(name, options, context);
    return contexts.with(trace.setSpan(context, span), work as (span: Span) => unknown, undefined, span);
  };
  return Object.assign(Object.create(tracer) as Tracer, { startSpan, startActiveSpan });
}
