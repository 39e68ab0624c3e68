import { jsonOrText } from '@reenact/instrumentation';
import { type Crossing, canonicalJson, holdsLongNumber, isInboundRequest, isTree } from '@reenact/trace-model';
import { unpackedBody } from '@reenact/trace-model/reading';

/** What was compressed to the body of an answer; undefined where that is not known. */
function unpackedText(answer: unknown): string | undefined {
  if (!isTree(answer)) return undefined;
  const body = unpackedBody(answer.headers, answer.body);
  return body !== answer.body && isTree(body) && typeof body.text === 'string' ? body.text : undefined;
}

function withBody(answer: unknown, body: object): unknown {
  return isTree(answer) ? { ...answer, body } : answer;
}

function bodyOf(answer: unknown): unknown {
  return isTree(answer) ? answer.body : undefined;
}

/** An answer whose body was kept as text, as JSON where the other one was kept so, and what it has of many digits stands in strings. */
function readLike(answer: unknown, other: unknown): unknown {
  const [body, like] = [bodyOf(answer), bodyOf(other)];
  if (!isTree(body) || typeof body.text !== 'string' || !isTree(like) || !('json' in like)) return answer;
  const json = jsonOrText(body.text);
  if (typeof json === 'string' || holdsLongNumber(body.text)) return answer;
  return withBody(answer, { json });
}

/**
 * Two answers with JSON, of which one stayed text for many digits in a row, which might be a number: the id of a trace has them in one of some 260, and the
 * live answer had another when that was decided.
 */
function bothAsJson(recorded: unknown, live: unknown): readonly [unknown, unknown] {
  return [readLike(recorded, live), readLike(live, recorded)];
}

/**
 * Two answers of a server to the request that entered a run, with their bodies as what was compressed to them: of compressed ones nobody could say in what
 * they differ. As they are where that is not known of both.
 */
export function unpackedAnswers(run: Crossing, recorded: unknown, live: unknown): readonly [unknown, unknown] {
  const before = isInboundRequest(run) ? unpackedText(recorded) : undefined;
  const now = before === undefined ? undefined : unpackedText(live);
  if (before === undefined || now === undefined)
    return isInboundRequest(run) ? bothAsJson(recorded, live) : [recorded, live];
  const [jsonBefore, jsonNow] = [jsonOrText(before), jsonOrText(now)];
  // Numbers that JSON cannot hold differ in their text alone.
  const isByText = !isTree(jsonBefore) || !isTree(jsonNow) || canonicalJson(jsonBefore) === canonicalJson(jsonNow);
  if (isByText) return [withBody(recorded, { text: before }), withBody(live, { text: now })];
  return [withBody(recorded, { json: jsonBefore }), withBody(live, { json: jsonNow })];
}
