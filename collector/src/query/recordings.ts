import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeTracesJson, type TracesData } from '@reenact/otlp';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store, StoredSpan } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import { spansInParts } from './span-parts.ts';
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
    const parts = spansInParts(store, await store.listSpans(question.tenant, traceId));
    const first = await nextOf(parts);
    if (first === undefined) throw notFound(`There is no trace ${traceId}.`, question.id);
    const body = encodeTracesJson(await traces.decode(first));
    const second = await nextOf(parts);
    if (second === undefined) return { status: 200, body };
    const pieces = piecesOf(groupsIn(body), second, parts, traces);
    return { contentType: 'application/json', stream: (response) => writePieces(response, pieces) };
  };
}

async function nextOf(parts: AsyncGenerator<readonly StoredSpan[]>): Promise<readonly StoredSpan[] | undefined> {
  const { done, value } = await parts.next();
  return done === true ? undefined : value;
}

async function* piecesOf(
  first: string,
  second: readonly StoredSpan[],
  rest: AsyncGenerator<readonly StoredSpan[]>,
  traces: StoredTraces,
): AsyncGenerator<string> {
  yield `${OPENING}${first}`;
  for (let part: readonly StoredSpan[] | undefined = second; part !== undefined; part = await nextOf(rest)) {
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
