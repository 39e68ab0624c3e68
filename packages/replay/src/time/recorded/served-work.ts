import type { WorkKey } from '@reenact/instrumentation';
import type { Recording } from '@reenact/trace-model';
import { isOverAtOnce, type RecordedEvent, recordedEvents } from './recorded-events.ts';

/** Gives where work outside JavaScript ended in the order of a run's events when it was recorded (docs/adr/0047). */
export class ServedWork {
  private readonly recording: Recording;
  private readonly originUnixNano: bigint;
  private readonly left = new Map<string, RecordedEvent[]>();

  /** `originUnixNano`: when the run was recorded to start. */
  constructor(recording: Recording, originUnixNano: bigint) {
    this.recording = recording;
    this.originUnixNano = originUnixNano;
  }

  /**
   * The recorded work that one is which begins now; undefined where none was recorded. `reached`: how many events of the run have been numbered by now.
   * That is not always what it was when it was recorded: some were inside of calls that are served, and what takes some turns of the event loop to begin is
   * earlier. It is the next one then.
   */
  take(spanId: string, key: WorkKey, reached: number): RecordedEvent | undefined {
    const events = this.leftOf(spanId, key);
    const exact = events.findIndex(({ setAt }) => setAt === reached);
    // What was over at once is never past: it came before the others of its function, and whoever catches what it throws is there.
    const next = (event: RecordedEvent): boolean => event.order >= reached || isOverAtOnce(event);
    const index = exact < 0 ? events.findIndex(next) : exact;
    return index < 0 ? undefined : events.splice(index, 1)[0];
  }

  private leftOf(spanId: string, key: WorkKey): RecordedEvent[] {
    const place = `${spanId}:${key}`;
    const known = this.left.get(place);
    if (known !== undefined) return known;
    const numbers = this.recording.bySpanId.get(spanId)?.draws?.work?.[key] ?? [];
    const made = recordedEvents(numbers, this.originUnixNano);
    this.left.set(place, made);
    return made;
  }
}
