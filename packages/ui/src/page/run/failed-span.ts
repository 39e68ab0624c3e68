import type { OtherSpan, RunTree } from '@reenact/trace-model/collector-api';
import { failedCrossings } from './failed-crossings.ts';

/** The span that tells how a run failed in which no crossing did: its root, else the last that failed. Undefined where a crossing tells it. */
export function failedSpan({ run, crossings, otherSpans }: RunTree): OtherSpan | undefined {
  if (run.status !== 'error' || failedCrossings(crossings).length > 0) return undefined;
  const failed = otherSpans.filter(({ status }) => status === 'error');
  return failed.find(({ spanId }) => spanId === run.rootSpanId) ?? failed.at(-1);
}
