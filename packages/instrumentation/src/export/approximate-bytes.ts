import type { CrossingFacts } from '../gate/crossing-facts.ts';

/** What a span's names, ids and keys take beside its payloads. */
const SPAN_BYTES = 1_024;

/** What one chunk takes beside its data. */
const CHUNK_BYTES = 24;

type Exchange = CrossingFacts['exchanges'][number];

function exchangeSize({ request, response }: Exchange): number {
  const { body } = request;
  const bodyBytes = body === undefined || 'sameAs' in body ? 0 : 'text' in body ? body.text.length : body.base64.length;
  const chunkBytes = (response?.chunks ?? []).reduce(
    (sum, [, data]) => sum + CHUNK_BYTES + (typeof data === 'string' ? data.length : data.base64.length),
    0,
  );
  return SPAN_BYTES + bodyBytes + chunkBytes;
}

function textSize(attributes: CrossingFacts['slim']): number {
  let characters = 0;
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    characters += typeof value === 'string' ? value.length : String(value).length;
  }
  return characters;
}

/** About how many bytes the view of a crossing takes on the wire; what the memory limits count. */
export function approximateBytes({ exchanges, input, outcome, slim, content }: CrossingFacts): number {
  const { value, error, chunks = [] } = outcome;
  let payloadBytes = 0;
  for (const encoded of [input, value, error]) payloadBytes += encoded?.payload.data?.length ?? 0;
  for (const chunk of chunks) payloadBytes += chunk.value.payload.data?.length ?? 0;
  const exchangeBytes = exchanges.reduce((sum, exchange) => sum + exchangeSize(exchange), 0);
  // A tool's arguments and result are in the view twice: as payload and for people.
  return SPAN_BYTES + payloadBytes * 2 + textSize(slim) + textSize(content) + exchangeBytes;
}
