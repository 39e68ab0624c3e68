import type { TimerKey } from '@reenact/instrumentation';
import type { Recording } from '@reenact/trace-model';
import { type RecordedEvent, recordedEvents } from './recorded-events.ts';
import type { RecordedTimer } from './timer-place.ts';

/** Timers of one delay that one crossing set, in the order in which they were set. */
interface Reel {
  readonly timers: readonly RecordedEvent[];
  next: number;
}

/**
 * Gives where the timers of a run stood in the order of its events when it was recorded (docs/adr/0040): per nearest crossing, delay, and
 * how far the run had come when they were set. Whatever else sets timers, or sets fewer of them in a replay, shifts none of the others.
 */
export class ServedTimers {
  private readonly recording: Recording;
  private readonly originUnixNano: bigint;
  private readonly reels = new Map<string, Reel>();

  /** `originUnixNano`: when the run was recorded to start. */
  constructor(recording: Recording, originUnixNano: bigint) {
    this.recording = recording;
    this.originUnixNano = originUnixNano;
  }

  /**
   * The recorded timer that one is which is set now. Undefined where none was recorded. `reached`: how many events of the run have been
   * numbered by now. `isToCome`: whether an event is still to come in this replay: what was set behind those that are not is set here, too.
   */
  take(
    spanId: string,
    key: TimerKey,
    reached: number,
    isToCome: (order: number) => boolean,
  ): RecordedTimer | undefined {
    const reel = this.reelOf(spanId, key);
    let timer = reel.timers[reel.next];
    for (; timer !== undefined && timer.setAt < reached; timer = reel.timers[reel.next]) reel.next += 1;
    if (timer === undefined) return undefined;
    for (let order = reached; order < timer.setAt; order += 1) if (isToCome(order)) return undefined;
    reel.next += 1;
    return timer;
  }

  private reelOf(spanId: string, key: TimerKey): Reel {
    const place = `${spanId}:${key}`;
    const known = this.reels.get(place);
    if (known !== undefined) return known;
    const triples = this.recording.bySpanId.get(spanId)?.draws?.timers?.[key] ?? [];
    const made = { timers: recordedEvents(triples, this.originUnixNano), next: 0 };
    this.reels.set(place, made);
    return made;
  }
}
