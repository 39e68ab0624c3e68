import type { Arrival, LiveOutcome, LiveSpanIds, SentRequest } from '@reenact/instrumentation';
import {
  type Crossing,
  type EncodedValue,
  type Exchange,
  isStringified,
  type Payload,
  payloadOf,
  stringifiedPayload,
} from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { AnsweredIds } from './answered-ids.ts';

/** What the report says once where an agent handed such an id on. */
export const OWN_TRACE_NOTE =
  'The agent hands on the id of its trace or span, which is another one in a replay: it was compared as the recorded id that it stands for.';

/** What it says once where ids that a live model gave were read as recorded ones. */
const ANSWERED_IDS_NOTE =
  'Models that answered live gave other ids to the tool calls that were recorded: what names them later was compared as the recorded ids that they stand for.';

/** The ids of one recorded span. */
type RecordedIds = Pick<Crossing, 'traceId' | 'spanId'>;

/** An id of the replay, and what the recording has in its place. */
type Pair = readonly [live: string, recorded: string];

function withText(payload: Payload, readText: (text: string) => string): Payload {
  const { data, format } = payload;
  if (data === undefined || format === 'base64') return payload;
  const read = readText(data);
  if (read === data) return payload;
  return format !== 'text' && isStringified(payload) ? stringifiedPayload(format, read) : payloadOf(format, read);
}

function readAs(text: string, pairs: readonly Pair[]): string {
  return pairs.reduce((read, [live, recorded]) => (read.includes(live) ? read.replaceAll(live, recorded) : read), text);
}

/**
 * A replay runs in a trace of its own, and agents hand the ids of theirs on: to tools, to models, to whoever called them. Such an id is read
 * as that of the recorded span which it stands for, wherever it stands in a value as it is; all else of the value is compared as ever
 * (docs/adr/0057). So are ids that a model gave anew which answered live.
 */
export class OwnSpanIds {
  private readonly bySpanId: ReadonlyMap<string, RecordedIds>;
  private readonly root: RecordedIds;
  private readonly sink: EventSink;
  /** Traces that code of the replay has stood in, and the recorded ones. */
  private readonly traceIds = new Map<string, string>();
  private readonly answered = new AnsweredIds();
  private readonly told = new Set<string>();

  constructor(bySpanId: ReadonlyMap<string, RecordedIds>, root: RecordedIds, sink: EventSink) {
    this.bySpanId = bySpanId;
    this.root = root;
    this.sink = sink;
  }

  /** The same arrival, with its input as the recorded code would have given it. */
  inArrival<Given extends Arrival>(arrival: Given): Given {
    const { spanIds, position, input, toolCallId } = arrival;
    const around = position?.cursor === undefined ? undefined : this.bySpanId.get(position.cursor);
    const pairs = spanIds === undefined ? [] : this.pairs(spanIds, around ?? { ...this.root, spanId: '' });
    const read = this.inValue(input, pairs);
    const ofCall = toolCallId === undefined ? undefined : this.answered.recorded(toolCallId);
    if (read === input && ofCall === toolCallId) return arrival;
    return { ...arrival, input: read, ...(ofCall !== undefined && { toolCallId: ofCall }) };
  }

  /** Learns which ids a model gave anew that answered live. */
  answeredLive(recorded: Crossing, exchanges: readonly Exchange[]): void {
    this.answered.learn(recorded, exchanges);
  }

  /** How a crossing has ended whose code ran, likewise. */
  inOutcome(outcome: LiveOutcome, live: LiveSpanIds | undefined, recorded: RecordedIds): LiveOutcome {
    const pairs = live === undefined ? [] : this.pairs(live, recorded);
    const read = (value: EncodedValue): EncodedValue => this.inValue(value, pairs);
    switch (outcome.type) {
      case 'returned':
        return { ...outcome, value: read(outcome.value) };
      case 'threw':
        return { ...outcome, error: read(outcome.error) };
      default:
        return {
          ...outcome,
          chunks: outcome.chunks.map((chunk) => ({ ...chunk, value: read(chunk.value) })),
          ...(outcome.value !== undefined && { value: read(outcome.value) }),
          ...(outcome.error !== undefined && { error: read(outcome.error) }),
        };
    }
  }

  /** What a client sends beside the input of its crossing, likewise. */
  inRequest(request: SentRequest): SentRequest {
    const pairs = [...this.traceIds];
    const read = (text: string): string => this.noted(text, readAs(text, pairs));
    const headers = Object.entries(request.headers).map(([name, value]) => [name, read(value)] as const);
    return { ...request, url: read(request.url), headers: Object.fromEntries(headers) };
  }

  private pairs(live: LiveSpanIds, recorded: RecordedIds): readonly Pair[] {
    if (this.traceIds.get(live.traceId) !== recorded.traceId) this.traceIds.set(live.traceId, recorded.traceId);
    const ofTrace: Pair = [live.traceId, recorded.traceId];
    return live.spanId === undefined || recorded.spanId === '' ? [ofTrace] : [ofTrace, [live.spanId, recorded.spanId]];
  }

  private inValue(value: EncodedValue, pairs: readonly Pair[]): EncodedValue {
    const own = this.noted(
      value.payload,
      withText(value.payload, (text) => readAs(text, pairs)),
    );
    const payload = this.notedOnce(
      ANSWERED_IDS_NOTE,
      own,
      withText(own, (text) => this.answered.inText(text)),
    );
    return payload === value.payload ? value : { ...value, payload };
  }

  private noted<Value>(before: Value, read: Value): Value {
    return this.notedOnce(OWN_TRACE_NOTE, before, read);
  }

  private notedOnce<Value>(text: string, before: Value, read: Value): Value {
    if (read !== before && !this.told.has(text)) {
      this.told.add(text);
      this.sink.write({ type: 'note', text, unverified: false });
    }
    return read;
  }
}
