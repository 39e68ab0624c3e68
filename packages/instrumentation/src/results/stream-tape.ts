import { ATTR_REENACT_OUTPUT_CLOSED_US } from '@reenact/semconv/reenact';
import { encodeValue, type StreamReader } from '@reenact/trace-model';
import type { LiveOutcomeChunks, OpenCrossing } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { STREAM_BYTES_MAX } from '../limits.ts';

/** Keeps the chunks of one stream as they pass by, each encoded before the host can change it. Never throws. */
export class StreamTape {
  private readonly crossing: OpenCrossing;
  private readonly chunks: LiveOutcomeChunks[number][] = [];
  private bytes = 0;
  private hasOverflown = false;
  private isLeft = false;
  /** How many of the reader's questions are not answered yet; undefined where nobody sees them. */
  private asked: number | undefined;
  /** How its reader stood to it when it closed it: one that is still open when its process ends was left by nobody (docs/adr/0061). */
  private leftBy: StreamReader | undefined;

  constructor(crossing: OpenCrossing) {
    this.crossing = crossing;
    crossing.streams(this.chunks, () => this.leftBy);
  }

  /** The reader asks for one more. */
  asks(): void {
    this.asked = (this.asked ?? 0) + 1;
  }

  /** What it asked for has come, whatever it was. */
  answered(): void {
    if (this.asked !== undefined) this.asked -= 1;
  }

  private reader(): StreamReader | undefined {
    if (this.asked === undefined) return undefined;
    return this.asked > 0 ? 'waiting' : 'satisfied';
  }

  /**
   * One chunk has passed. `microtasks`, here and where the stream ends: how many rounds of promise reactions its reader had waited, where the event
   * loop did not turn.
   */
  chunk(value: unknown, microtasks?: number): void {
    guarded('keeping a chunk', () => this.keep(value, microtasks), undefined);
  }

  private keep(value: unknown, microtasks: number | undefined): void {
    if (this.hasOverflown) return;
    const offsetUs = this.crossing.elapsedUs();
    const encoded = encodeValue(value);
    this.bytes += encoded.payload.data?.length ?? 0;
    if (this.bytes > STREAM_BYTES_MAX) {
      this.hasOverflown = true;
      this.crossing.markLossy(`/chunks/${this.chunks.length} too-large`);
      return;
    }
    this.chunks.push({ offsetUs, microtasks, value: encoded });
  }

  /** The stream came to its end, with the value it returned. */
  ended(value: unknown, microtasks?: number): void {
    this.crossing.settlesAfter(microtasks);
    this.crossing.settle({ type: 'ended', chunks: this.chunks, value });
  }

  /** The stream gave more where its reader ended it, or threw into it. */
  wentOn(after: 'return' | 'throw'): void {
    this.crossing.markLossy(`/output went on after ${after}()`);
  }

  /** What comes cannot be seen, for the reason given. */
  unwatched(reason: string): void {
    this.crossing.markLossy(`/output ${reason}`);
    this.crossing.abandon();
  }

  /** The stream threw. */
  failed(error: unknown, microtasks?: number): void {
    this.crossing.settlesAfter(microtasks);
    this.crossing.settle({ type: 'failed', chunks: this.chunks, error });
  }

  /** The consumer closes it now; what it does then may take a while. */
  closing(): void {
    this.leftBy = this.reader();
    this.crossing.describe({ slim: { [ATTR_REENACT_OUTPUT_CLOSED_US]: this.crossing.elapsedUs() } });
  }

  /** Whether the consumer has stopped reading before the end. */
  get wasLeft(): boolean {
    return this.isLeft;
  }

  /** The consumer stopped reading. */
  aborted(microtasks?: number): void {
    this.isLeft = true;
    this.crossing.settlesAfter(microtasks);
    this.crossing.settle({ type: 'aborted', chunks: this.chunks, reader: this.leftBy });
  }
}
