import { answersKey, ChannelOrdinals } from '@reenact/instrumentation';
import type { Recording } from '@reenact/trace-model';
import { type RecordedEvent, recordedEvents } from './recorded-events.ts';

/** Gives where what threads, ports and child processes said came in the order of a run's events when it was recorded (docs/adr/0047). */
export class ServedAnswers {
  private readonly recording: Recording;
  private readonly originUnixNano: bigint;
  private readonly ordinals = new ChannelOrdinals();
  private readonly places = new Map<string, object>();
  private readonly left = new Map<string, RecordedEvent[]>();

  /** `originUnixNano`: when the run was recorded to start. */
  constructor(recording: Recording, originUnixNano: bigint) {
    this.recording = recording;
    this.originUnixNano = originUnixNano;
  }

  /** What is still to come over a channel that code of this crossing asks over, in the order in which it came: the same list each time. */
  over(spanId: string, channel: object): RecordedEvent[] {
    const place = this.places.get(spanId) ?? {};
    this.places.set(spanId, place);
    const key = answersKey(this.ordinals.of(place, channel));
    const known = this.left.get(`${spanId}:${key}`);
    if (known !== undefined) return known;
    const numbers = this.recording.bySpanId.get(spanId)?.draws?.work?.[key] ?? [];
    const made = recordedEvents(numbers, this.originUnixNano);
    this.left.set(`${spanId}:${key}`, made);
    return made;
  }
}
