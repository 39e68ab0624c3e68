import type { ExportSignal, Rejections } from '@reenact/otlp';
import type { ErrorCode, ReenactError } from '@reenact/trace-model';
import type { ReceivedCounters } from './counters.ts';
import { PASSED_COLLECTORS_MAX } from './limits.ts';
import type { Log } from './logging/log.ts';
import { RepeatedLog } from './logging/repeated-log.ts';

/** Codes of what is wrong with the collector or its disk, and not with what was sent. */
const OWN_FAULTS: ReadonlySet<ErrorCode> = new Set(['internal', 'store-failed']);

/** Counts what was sent and not taken, and tells the log of it. */
export class Refusals {
  private readonly counters: ReceivedCounters;
  private readonly log: Log;
  private readonly repeated = new RepeatedLog();
  private readonly rejections = new RepeatedLog();

  constructor(counters: ReceivedCounters, log: Log) {
    this.counters = counters;
    this.log = log;
  }

  /** A whole request or call was refused, that came from the address `peer`. */
  refused(error: ReenactError, transport: 'grpc' | 'http', peer: string | undefined): void {
    this.tell(error, transport, peer, error.code);
  }

  /** What came from `peer` was no request. Told beside what else is refused with the same code, each cause by itself while they are few. */
  unreadable(error: ReenactError, transport: 'grpc' | 'http', peer: string | undefined): void {
    const { message, next = error.code } = error;
    const own = `${message} ${next}`;
    this.tell(error, transport, peer, this.repeated.hasRoomFor(`${transport} ${own}`) ? own : next);
  }

  /** Some items of a request were rejected; the others were taken. */
  rejected(tenant: string, signal: ExportSignal, rejections: Rejections): void {
    if (rejections.count === 0) return;
    const { rejectedItems } = this.counters;
    for (const [code, count] of rejections.byCode) rejectedItems[code] = (rejectedItems[code] ?? 0) + count;
    const [first] = rejections.problems;
    const message = first === undefined ? '' : `item ${first.position} of a request: ${first.message}`;
    const own = `${tenant} ${signal}`;
    // A sender that may name tenants decides how many there are.
    const isOneOfMore = !this.rejections.hasRoomFor(own);
    this.rejections.tell(isOneOfMore ? '' : own, rejections.count, (count) =>
      this.log.warn('items rejected', { tenant, signal, count, message, ...(isOneOfMore ? { isOneOfMore } : {}) }),
    );
  }

  /** Items were kept and are not sent on any further. */
  notForwarded(reason: 'loop' | 'too-far', signal: ExportSignal, count: number): void {
    const { notForwarded } = this.counters;
    notForwarded[reason] = (notForwarded[reason] ?? 0) + count;
    const next =
      reason === 'loop'
        ? 'They have passed this collector before: take the destination out that leads back to it.'
        : `They have passed ${PASSED_COLLECTORS_MAX} collectors: send to the last one directly.`;
    this.repeated.tell(`not forwarded ${reason} ${signal}`, count, (all) =>
      this.log.warn('items not forwarded', { reason, signal, count: all, next }),
    );
  }

  /** So many requests of metrics that waited for destinations were let go of, to make room for newer ones. */
  metricsGone(gone: number): void {
    this.counters.discardedMetricRequests += gone;
    const next = 'See which destination takes none, or raise limits.metricsQueueBytesMax.';
    this.repeated.tell('metrics gone', gone, (count) => this.log.warn('queued metrics gone', { count, next }));
  }

  /** Says what was not said yet. */
  stop(): void {
    this.repeated.stop();
    this.rejections.stop();
  }

  private tell(error: ReenactError, transport: 'grpc' | 'http', peer: string | undefined, kind: string): void {
    const { refusedRequests } = this.counters;
    refusedRequests[error.code] = (refusedRequests[error.code] ?? 0) + 1;
    const { code, message, where = '', next = '' } = error;
    const write = OWN_FAULTS.has(code) ? this.log.error : this.log.warn;
    this.repeated.tell(`${transport} ${kind}`, 1, (count) =>
      write('requests refused', {
        transport,
        code,
        count,
        ...(peer === undefined ? {} : { peer }),
        message,
        where,
        next,
      }),
    );
  }
}
