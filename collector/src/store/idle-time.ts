import { RECOMPRESS_IDLE_BYTES, RECOMPRESS_IDLE_MS, RECOMPRESS_SUMMARY_BYTES } from './limits.ts';

/** How full the measure gets: as much as drains within the time, above what is idle. */
const LEVEL_MAX = 2 * RECOMPRESS_IDLE_BYTES;

const GO_ON = 0;
const GIVE_WAY = 1;

/**
 * When the store has time for what nobody waits for. What comes fills a measure that drains by itself: a trickle leaves it idle, and after load it is
 * so again when some seconds have passed. A start counts as load.
 */
export class IdleTime {
  /** Shared with the thread that works in idle time, which asks `mayGoOn` of it in the midst of its work. */
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  private readonly signal = new Int32Array(this.memory);
  private level = LEVEL_MAX;
  private notedMs: number;

  /** All times are of a clock that never goes back, milliseconds. */
  constructor(nowMs: number) {
    this.notedMs = nowMs;
  }

  /** So many bytes came. */
  noteBytes(bytes: number, nowMs: number): void {
    this.level = Math.min(this.levelAt(nowMs) + bytes, LEVEL_MAX);
    this.notedMs = nowMs;
    if (this.level > RECOMPRESS_IDLE_BYTES) this.giveWay();
  }

  /** So many summaries were made. */
  noteSummaries(count: number, nowMs: number): void {
    this.noteBytes(count * RECOMPRESS_SUMMARY_BYTES, nowMs);
  }

  /** Whether work may begin; it may go on until it is told to give way. */
  begin(nowMs: number): boolean {
    if (this.levelAt(nowMs) > RECOMPRESS_IDLE_BYTES) return false;
    Atomics.store(this.signal, 0, GO_ON);
    return true;
  }

  /** Has work that has begun break off. */
  giveWay(): void {
    Atomics.store(this.signal, 0, GIVE_WAY);
  }

  private levelAt(nowMs: number): number {
    return Math.max(this.level - ((nowMs - this.notedMs) * RECOMPRESS_IDLE_BYTES) / RECOMPRESS_IDLE_MS, 0);
  }
}

/** Whether work that has begun in idle time may go on, asked of the memory that is shared for it. */
export function mayGoOn(memory: SharedArrayBuffer): boolean {
  return Atomics.load(new Int32Array(memory), 0) === GO_ON;
}
