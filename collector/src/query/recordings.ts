import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeTracesJson, type TracesData } from '@reenact/otlp';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import { RECORDING_PIECE_BYTES, RECORDING_PIECE_SPANS } from '../limits.ts';
import type { Store, StoredSpan } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import type { StoredTraces } from './stored-traces.ts';
import { writePieces } from './write-pieces.ts';

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
    const spans = await store.readTrace(question.tenant, traceId);
    const [first, ...rest] = partsOf(spans);
    if (first === undefined) throw notFound(`There is no trace ${traceId}.`, question.id);
    const body = encodeTracesJson(await traces.decode(first));
    if (rest.length === 0) return { status: 200, body };
    const pieces = piecesOf(groupsIn(body), rest, traces);
    return { contentType: 'application/json', stream: (response) => writePieces(response, pieces) };
  };
}

/** Spans in order, in parts of a bounded size. */
function partsOf(spans: readonly StoredSpan[]): StoredSpan[][] {
  const parts: StoredSpan[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const span of spans) {
    const last = parts.at(-1);
    if (last === undefined || last.length >= RECORDING_PIECE_SPANS || bytes >= RECORDING_PIECE_BYTES) {
      parts.push([span]);
      bytes = 0;
    } else last.push(span);
    bytes += span.bytes.length;
  }
  return parts;
}

async function* piecesOf(first: string, rest: readonly StoredSpan[][], traces: StoredTraces): AsyncGenerator<string> {
  yield `${OPENING}${first}`;
  for (const part of rest) {
    await nextTurn();
    const data: TracesData = await traces.decode(part);
    yield `,${groupsIn(encodeTracesJson(data))}`;
  }
  yield CLOSING;
}

/** The members of `resourceSpans` in a document of nothing else. */
function groupsIn(document: string): string {
  return document.slice(OPENING.length, -CLOSING.length);
}
