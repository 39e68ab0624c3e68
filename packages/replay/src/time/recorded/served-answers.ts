import { answersKey, ChannelOrdinals, entriesKey, ResourceOrdinals, repliesKey } from '@reenact/instrumentation';
import type { Recording } from '@reenact/trace-model';
import { type RecordedEvent, recordedEvents } from './recorded-events.ts';

/** Gives where what threads, ports and child processes said came in the order of a run's events when it was recorded (docs/adr/0047). */
export class ServedAnswers {
  private readonly recording: Recording;
  private readonly originUnixNano: bigint;
  private readonly ordinals = new ChannelOrdinals();
  private readonly resources = new ResourceOrdinals();
  private readonly replies = new ResourceOrdinals();
  private readonly places = new Map<string, object>();
  private readonly left = new Map<string, RecordedEvent[]>();

  /** `originUnixNano`: when the run was recorded to start. */
  constructor(recording: Recording, originUnixNano: bigint) {
    this.recording = recording;
    this.originUnixNano = originUnixNano;
  }

  /** What is still to come over a channel that code of this crossing asks over, in the order in which it came: the same list each time. */
  over(spanId: string, channel: object): RecordedEvent[] {
    const key = answersKey(this.ordinals.of(this.placeOf(spanId), channel));
    const known = this.left.get(`${spanId}:${key}`);
    if (known !== undefined) return known;
    const made = this.recorded(spanId, key);
    this.left.set(`${spanId}:${key}`, made);
    return made;
  }

  /** Where something came for the resource of this type that code of this crossing makes now. */
  forResource(spanId: string, type: string): RecordedEvent[] {
    return this.recorded(spanId, entriesKey(type, this.resources.next(this.placeOf(spanId), type)));
  }

  /** Where something was said to the question with an id that code of this crossing asks now. */
  toQuestion(spanId: string): RecordedEvent[] {
    return this.recorded(spanId, repliesKey(this.replies.next(this.placeOf(spanId), 'question')));
  }

  private recorded(spanId: string, key: string): RecordedEvent[] {
    return recordedEvents(this.recording.bySpanId.get(spanId)?.draws?.work?.[key] ?? [], this.originUnixNano);
  }

  private placeOf(spanId: string): object {
    const place = this.places.get(spanId) ?? {};
    this.places.set(spanId, place);
    return place;
  }
}
