import type { ExportSignal, Rejections } from '@reenact/otlp';
import type { ErrorCode, ReenactError } from '@reenact/trace-model';
import type { ReceivedCounters } from './counters.ts';
import { REFUSAL_LOG_INTERVAL_MS } from './limits.ts';
import type { Log } from './log.ts';

/** What happens again and again, and was said once. */
interface Repeated {
  /** Since it was said last. */
  count: number;
  write: (count: number) => void;
}

/** Codes of what is wrong with the collector or its disk, and not with what was sent. */
const OWN_FAULTS: ReadonlySet<ErrorCode> = new Set(['internal', 'store-failed']);

/**
 * Counts what was sent and not taken, and tells the log of it: the first of a kind at once, what follows within
 * `REFUSAL_LOG_INTERVAL_MS` as one number, so that a sender that tries for ever fills no disk.
 */
export class Refusals {
  private readonly counters: ReceivedCounters;
  private readonly log: Log;
  private readonly repeated = new Map<string, Repeated>();
  private timer: NodeJS.Timeout | undefined;

  constructor(counters: ReceivedCounters, log: Log) {
    this.counters = counters;
    this.log = log;
  }

  /** A whole request or call was refused. */
  refused(error: ReenactError, transport: 'grpc' | 'http'): void {
    const { refusedRequests } = this.counters;
    refusedRequests[error.code] = (refusedRequests[error.code] ?? 0) + 1;
    const { code, message, where = '', next = '' } = error;
    const write = OWN_FAULTS.has(code) ? this.log.error : this.log.warn;
    this.tell(`${transport} ${code}`, 1, (count) =>
      write('requests refused', { transport, code, count, message, where, next }),
    );
  }

  /** Some items of a request were rejected; the others were taken. */
  rejected(tenant: string, signal: ExportSignal, rejections: Rejections): void {
    if (rejections.count === 0) return;
    const { rejectedItems } = this.counters;
    for (const [code, count] of rejections.byCode) rejectedItems[code] = (rejectedItems[code] ?? 0) + count;
    const [first] = rejections.problems;
    const message = first === undefined ? '' : `item ${first.position} of a request: ${first.message}`;
    this.tell(`items ${tenant} ${signal}`, rejections.count, (count) =>
      this.log.warn('items rejected', { tenant, signal, count, message }),
    );
  }

  /** Says what was not said yet. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.summarise();
    this.repeated.clear();
  }

  private tell(kind: string, count: number, write: Repeated['write']): void {
    const known = this.repeated.get(kind);
    if (known !== undefined) {
      known.count += count;
      known.write = write;
      return;
    }
    this.repeated.set(kind, { count: 0, write });
    write(count);
    this.arm();
  }

  private arm(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.summarise();
      if (this.repeated.size > 0) this.arm();
    }, REFUSAL_LOG_INTERVAL_MS).unref();
  }

  /** What went on is said again; what has stopped is forgotten, so that its next time is told at once. */
  private summarise(): void {
    for (const [kind, repeated] of this.repeated) {
      if (repeated.count === 0) this.repeated.delete(kind);
      else repeated.write(repeated.count);
      repeated.count = 0;
    }
  }
}
