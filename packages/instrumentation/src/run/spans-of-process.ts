import { type Context, type Span, trace } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';

/** Spans that others made in the run of the process: their code is that run's, though no crossing is around it. */
const spans = processState('spans-of-process.1', () => new WeakSet<Span>());

/** Notes a span that was begun in the run of the process, outside of every other crossing. */
export function addSpanOfProcess(span: Span): void {
  spans.add(span);
}

/** Whether the innermost span around the code of a context is such a one. */
export function isInSpanOfProcess(context: Context): boolean {
  const span = trace.getSpan(context);
  return span !== undefined && spans.has(span);
}
