import { type Counter, metrics } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { trapLog } from '../traps/trap-log.ts';
import { INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION } from '../version.ts';

/** Why a span was dropped, or its payloads were. The closed list. */
export const DROP_CAUSES = {
  'queue-full': 'the queue of recorded spans is full, because the collector is slow or away',
  refused: 'the collector refused a recorded span for good',
  undelivered: 'the collector could not be reached before the process shut recording down',
  'payload-refused': 'a recorded span is too large for the collector and was delivered without its payloads',
  unreadable: 'a recorded span could not be put together',
  'spool-full': 'the spool on the disk has reached its limit, so its oldest spans were given up',
} as const;

/** One cause out of the closed list. */
export type DropCause = keyof typeof DROP_CAUSES;

/** Of the host's own meter provider, where it has one: a drop is seen where it watches everything else. */
function makeMetric(): Counter {
  return metrics.getMeter(INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION).createCounter('reenact.recorder.dropped', {
    description: 'Recorded spans that were dropped, by cause.',
    unit: '{span}',
  });
}

/** Counts what was dropped and why; the first drop of each cause is told on stderr. */
export class DropCounter {
  private readonly counts = new Map<DropCause, number>();
  private readonly metric = guarded('making a metric', makeMetric, undefined);

  /** Counts one span. Never throws. */
  count(cause: DropCause, detail?: string): void {
    const before = this.counts.get(cause) ?? 0;
    this.counts.set(cause, before + 1);
    guarded('counting in a metric', () => this.metric?.add(1, { cause }), undefined);
    if (before > 0) return;
    if (cause !== 'unreadable') trapLog.reportTold('spans-lost', DROP_CAUSES[cause]);
    const reason = detail === undefined ? '' : ` (${detail})`;
    try {
      const what = cause === 'payload-refused' ? 'a recording is not whole' : 'spans are lost';
      process.stderr.write(`reenact: ${what}: ${DROP_CAUSES[cause]}${reason}. Further ones are only counted.\n`);
    } catch {
      // stderr may be closed; the count is still right.
    }
  }

  /** How many spans were dropped, by cause. */
  counted(): ReadonlyMap<DropCause, number> {
    return this.counts;
  }
}
