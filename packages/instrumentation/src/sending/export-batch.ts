import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { asOwnTelemetry } from '../host/telemetry-context.ts';
import { EXPORT_TIMEOUT_MS } from '../limits.ts';
import { AnswerWatch, type ReceiverAnswer } from './answer-watch.ts';
import { withoutPayloads } from './without-payloads.ts';

/**
 * How an export ended: `refused` will not succeed later either, `failed` may. `delivered` with a `cut`: a single span that was too large for
 * its receiver, delivered without its payloads; with `rejected`: as many of the spans the receiver rejected for good; `askedMs`: for how long it
 * asked to be left alone.
 */
export type ExportOutcome =
  | { readonly type: 'delivered'; readonly cut?: string; readonly rejected?: ReceiverAnswer['rejected'] }
  | { readonly type: 'failed'; readonly detail: string; readonly askedMs?: number | undefined }
  | { readonly type: 'refused'; readonly detail: string; readonly isTooLarge: boolean };

/**
 * Statuses that speak of the spans themselves: bad request, too large, cannot be processed. All others speak of how things are
 * set up (a token that is missing, a wrong address), which somebody can mend while the spans wait.
 */
const refusals: ReadonlySet<unknown> = new Set([400, 413, 422]);

const TOO_LARGE = 413;

function outcomeOf(
  { code, error }: ExportResult,
  answer: ReceiverAnswer | undefined,
  sentCount: number,
): ExportOutcome {
  if (code === ExportResultCode.SUCCESS) {
    if (answer?.isPage === true) return { type: 'failed', detail: 'it answers with a web page, as no collector does' };
    if (answer?.rejected === undefined) return { type: 'delivered' };
    // Whatever number it says, it had no more than were sent.
    const count = Math.min(answer.rejected.count, sentCount);
    return { type: 'delivered', rejected: { ...answer.rejected, count } };
  }
  const status = (error as { readonly code?: unknown } | undefined)?.code;
  const words = error?.message || 'the exporter gave no reason';
  const detail = typeof status === 'number' ? `${words}, status ${status}` : words;
  return refusals.has(status)
    ? { type: 'refused', detail, isTooLarge: status === TOO_LARGE }
    : { type: 'failed', detail };
}

async function resourcesReady(spans: readonly ReadableSpan[]): Promise<void> {
  const resources = new Set(spans.map(({ resource }) => resource));
  const pending = Array.from(resources).filter(({ asyncAttributesPending }) => asyncAttributesPending === true);
  await Promise.all(pending.map((resource) => resource.waitForAsyncAttributes?.()));
}

/**
 * Exports spans once (`exportOnce`). A single one that is too large for its receiver is exported again without its payloads: that it
 * happened, and what it lacks, is worth more than nothing. Never rejects.
 */
export async function exportBatch(exporter: SpanExporter, spans: ReadableSpan[]): Promise<ExportOutcome> {
  const outcome = await exportOnce(exporter, spans);
  const [span] = spans;
  if (outcome.type !== 'refused' || !outcome.isTooLarge || span === undefined || spans.length > 1) return outcome;
  const smaller = guarded('leaving payloads out', () => withoutPayloads(span), undefined);
  if (smaller === undefined) return outcome;
  const second = await exportOnce(exporter, [smaller]);
  return second.type === 'delivered' ? { type: 'delivered', cut: outcome.detail } : second;
}

/**
 * Exports spans once, outside the host's contexts and with tracing suppressed, so that the exporter's own requests are
 * not recorded. Never rejects; an exporter that throws, or does not answer in time, has failed.
 */
async function exportOnce(exporter: SpanExporter, spans: ReadableSpan[]): Promise<ExportOutcome> {
  try {
    await resourcesReady(spans);
    const watch = AnswerWatch.of(exporter);
    watch?.take();
    watch?.takeAskedMs();
    const result = await new Promise<ExportResult>((resolve) => {
      const late = { code: ExportResultCode.FAILED, error: new DOMException('no answer in time', 'TimeoutError') };
      const timer = pristine.setTimeout(() => resolve(late), EXPORT_TIMEOUT_MS);
      timer.unref();
      asOwnTelemetry(() =>
        exporter.export(spans, (answer) => {
          pristine.clearTimeout(timer);
          resolve(answer);
        }),
      );
    });
    const outcome = outcomeOf(result, watch?.take(), spans.length);
    return outcome.type === 'failed' ? { ...outcome, askedMs: watch?.takeAskedMs() } : outcome;
  } catch (thrown) {
    return { type: 'failed', detail: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
