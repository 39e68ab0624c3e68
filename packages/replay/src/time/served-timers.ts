import type { TimerKey } from '@reenact/instrumentation';
import type { Recording } from '@reenact/trace-model';
import { recordedEvents } from './recorded-events.ts';
import type { RecordedTimer } from './timer-place.ts';

/** Timers of one delay that one crossing set while as many events had been numbered, in the order in which they were set. */
interface Reel {
  readonly timers: RecordedTimer[];
  next: number;
}

/**
 * Gives where the timers of a run stood in the order of its events when it was recorded (docs/adr/0040): per nearest crossing, delay, and
 * how far the run had come when they were set. Whatever else sets timers, or sets fewer of them in a replay, shifts none of the others.
 */
export class ServedTimers {
  private readonly recording: Recording;
  private readonly originUnixNano: bigint;
  private readonly reels = new Map<string, Map<string, Reel>>();

  /** `originUnixNano`: when the run was recorded to start. */
  constructor(recording: Recording, originUnixNano: bigint) {
    this.recording = recording;
    this.originUnixNano = originUnixNano;
  }

  /**
   * The recorded timer that one is which is set now. Undefined where none was recorded. `reached`: how many events of the run have been
   * numbered by now.
   */
  take(spanId: string, key: TimerKey, reached: number): RecordedTimer | undefined {
    const reel = this.reelsOf(spanId).get(`${key}:${reached}`);
    if (reel === undefined) return undefined;
    const timer = reel.timers[reel.next];
    reel.next += 1;
    return timer;
  }

  private reelsOf(spanId: string): Map<string, Reel> {
    const known = this.reels.get(spanId);
    if (known !== undefined) return known;
    const made = new Map<string, Reel>();
    this.reels.set(spanId, made);
    const timers = this.recording.bySpanId.get(spanId)?.draws?.timers ?? {};
    for (const [key, triples] of Object.entries(timers)) this.read(made, key, triples);
    return made;
  }

  private read(reels: Map<string, Reel>, timerKey: string, triples: readonly number[]): void {
    for (const timer of recordedEvents(triples, this.originUnixNano)) {
      const key = `${timerKey}:${timer.setAt}`;
      const reel = reels.get(key);
      if (reel === undefined) reels.set(key, { timers: [timer], next: 0 });
      else reel.timers.push(timer);
    }
  }
}
