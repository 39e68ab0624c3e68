import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { chunkBytes, type Exchange, type ExchangeResponse, exchangeText, isEventStream } from '@reenact/trace-model';
import { type EventBlock, readEventBlocks, type TimedText } from './event-blocks.ts';
import type { AnswerBody } from './model-protocol.ts';

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  'x-gzip': (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
};

/** The value of a header, or undefined. */
export function headerOf({ headers }: Pick<ExchangeResponse, 'headers'>, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The body bytes as the application reads them; at the `fetch` layer they were decoded when they were recorded. */
function decodedChunks({ layer }: Exchange, response: ExchangeResponse): (readonly [number, Uint8Array])[] | undefined {
  const chunks = response.chunks.map((chunk) => [chunk[0], chunkBytes(chunk)] as const);
  const codings = layer === 'fetch' ? [] : (headerOf(response, 'content-encoding') ?? '').toLowerCase().split(',');
  const named = codings.map((coding) => coding.trim()).filter((coding) => coding !== '');
  if (named.length === 0) return chunks;
  try {
    // Only the whole can be decoded: it then arrives as one piece, when the last byte did.
    const whole = named.reduceRight<Uint8Array>(
      (bytes, coding) => decoders[coding]?.(bytes) ?? bytes,
      Buffer.concat(chunks.map(([, bytes]) => bytes)),
    );
    return named.every((coding) => coding in decoders) ? [[chunks.at(-1)?.[0] ?? 0, whole]] : undefined;
  } catch {
    return undefined;
  }
}

function textPieces(chunks: readonly (readonly [number, Uint8Array])[]): TimedText[] {
  const decoder = new TextDecoder('utf-8');
  return chunks.map(([atUs, bytes]) => ({ atUs, text: decoder.decode(bytes, { stream: true }) }));
}

/** Reads the body of a response; undefined where it is neither JSON nor an event stream. */
export function answerBody(exchange: Exchange): AnswerBody | undefined {
  const { response } = exchange;
  if (response === undefined || response.cut !== undefined) return undefined;
  const chunks = decodedChunks(exchange, response);
  if (chunks === undefined) return undefined;
  if (isEventStream(response.headers)) return { type: 'events', blocks: readEventBlocks(textPieces(chunks)) };
  const text = exchangeText(chunks.map(([, bytes]) => bytes));
  if (text === undefined) return undefined;
  try {
    return { type: 'json', body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

// They describe the bytes that were sent, and those are other ones now.
const describesBytes = /^(content-length|content-encoding|content-md5|content-digest|digest|repr-digest|etag)$/i;

/** Headers without those that would no longer be true of another body. */
export function headersWithoutLength(headers: ExchangeResponse['headers']): ExchangeResponse['headers'] {
  return headers.filter(([name]) => !describesBytes.test(name));
}

function blockChunks(blocks: readonly EventBlock[]): ExchangeResponse['chunks'] {
  let latestUs = 0;
  return blocks.map(({ atUs, text }) => {
    latestUs = Math.max(latestUs, atUs);
    return [latestUs, text];
  });
}

/** The exchange with another body in its response: valid framing, and nothing said of the bytes that were there before. */
export function withAnswerBody(exchange: Exchange, body: AnswerBody): Exchange {
  const { response } = exchange;
  if (response === undefined) return exchange;
  const lastUs = response.chunks.at(-1)?.[0] ?? response.headersAfterUs;
  const chunks: ExchangeResponse['chunks'] =
    body.type === 'json' ? [[lastUs, JSON.stringify(body.body)]] : blockChunks(body.blocks);
  return {
    ...exchange,
    response: {
      ...response,
      headers: headersWithoutLength(response.headers),
      chunks,
      endAfterUs: Math.max(response.endAfterUs, chunks.at(-1)?.[0] ?? 0),
    },
  };
}
