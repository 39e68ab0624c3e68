import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeTracesJson, type TracesData } from '@reenact/otlp';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { SpanReference, Store, StoredSpan } from '../store/store.ts';
import { type Answer, type Answerer, parametersOf, type StreamedAnswer } from './answer.ts';
import { RECORDING_PIECE_BYTES } from './limits.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import { spansInParts } from './traces/span-parts.ts';
import type { StoredTraces } from './traces/stored-traces.ts';
import { writePieces } from './traces/write-pieces.ts';

const OPENING = '{"resourceSpans":[';
const CLOSING = ']}';

/**
 * `GET /api/v1/recordings/{traceIdOrSpanId}`: the whole trace as one OTLP/JSON document. A large one is made and sent piece by piece: in
 * one go it would hold up every sender for seconds, and be longer than a text may be.
 */
export function createRecordingsAnswerer(store: Store, traces: StoredTraces): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getRecording.parameters);
    const traceId = await resolveTrace(store, question);
    const references = await store.listSpans(question.tenant, traceId);
    if (references.length === 0) throw notFound(`There is no trace ${traceId}.`, question.id);
    return answerSpans(store, references, (spans) => traces.decode(spans));
  };
}

/** What stored spans say. */
type Decode = (spans: readonly StoredSpan[]) => Promise<TracesData>;

/** These spans, at least one, as one OTLP/JSON document; in pieces where they are many or large. */
export async function answerSpans(
  store: Store,
  references: readonly SpanReference[],
  decode: Decode,
): Promise<Answer | StreamedAnswer> {
  const parts = new DocumentParts(spansInParts(store, references), decode);
  const first = (await parts.next()) ?? '';
  if (parts.spansRead === references.length && first.length <= RECORDING_PIECE_BYTES * 2) {
    return { status: 200, body: `${OPENING}${first}${CLOSING}` };
  }
  // Taken out when it is sent: all that is held while a reader reads is what it reads.
  const held = [first];
  async function* pieces(): AsyncGenerator<string> {
    yield OPENING;
    for (let groups = held.pop(); groups !== undefined; groups = await parts.next()) {
      yield groups;
      await nextTurn();
      if (parts.spansRead < references.length) yield ',';
    }
    yield CLOSING;
  }
  return { contentType: 'application/json', stream: (response) => writePieces(response, pieces()) };
}

/** The groups of a document, part by part; nothing of a part is held beside its text. */
class DocumentParts {
  spansRead = 0;
  private readonly parts: AsyncGenerator<readonly StoredSpan[]>;
  private readonly decode: Decode;

  constructor(parts: AsyncGenerator<readonly StoredSpan[]>, decode: Decode) {
    this.parts = parts;
    this.decode = decode;
  }

  /** Undefined where there is no more. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.parts.next();
    if (done === true) return undefined;
    this.spansRead += value.length;
    return groupsIn(encodeTracesJson(await this.decode(value)));
  }
}

/** The members of `resourceSpans` in a document of nothing else. */
function groupsIn(document: string): string {
  return document.slice(OPENING.length, -CLOSING.length);
}
