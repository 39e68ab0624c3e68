import { encodeTracesJson, encodeTracesProtobuf, type KeyValue, type Span, type TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
} from '@reenact/semconv/gen-ai';
import { AgentConversations } from './agent-conversations.ts';

/** How the spans of a request are shaped. */
export interface RequestShape {
  readonly name: string;
  readonly spansPerRequest: number;
  readonly spansPerTrace: number;
  readonly spanCharacters: number;
}

/** Model calls with 30 KB of messages, as agents send them. */
export const LARGE_SPANS: RequestShape = {
  name: '30 KB spans',
  spansPerRequest: 8,
  spansPerTrace: 8,
  spanCharacters: 30_000,
};

/** Spans of half a kilobyte with twelve attributes, as web services send them: a full batch of an SDK. */
export const SMALL_SPANS: RequestShape = {
  name: '0.5 KB spans',
  spansPerRequest: 512,
  spansPerTrace: 64,
  spanCharacters: 0,
};

/** How a request is encoded. */
export type RequestEncoding = 'protobuf' | 'json';

/** Texts that requests are made of; sent again and again, with new ids each time. */
export const TEMPLATES = 16;

interface IdPlace {
  readonly at: number;
  readonly bytes: 8 | 16;
  /** Position of the span, or of the trace, among those of the request. */
  readonly index: number;
}

interface Template {
  readonly bytes: Buffer;
  readonly places: readonly IdPlace[];
}

/** Requests that differ in every id, so that nobody can take one for another; the same ones for everybody who asks. */
export class IngestRequests {
  readonly shape: RequestShape;
  readonly encoding: RequestEncoding;
  private readonly templates: readonly Template[];

  constructor(shape: RequestShape, encoding: RequestEncoding) {
    this.shape = shape;
    this.encoding = encoding;
    const texts = new AgentConversations({ steps: 1, textCharactersMax: 1 });
    this.templates = Array.from({ length: TEMPLATES }, (_, index) => makeTemplate(shape, encoding, texts, index));
  }

  /** Bytes of a request, on average. */
  get bytesPerRequest(): number {
    return this.templates.reduce((sum, { bytes }) => sum + bytes.length, 0) / TEMPLATES;
  }

  /** The request of that number, in memory of its own. Numbers start with `TEMPLATES`, below which they name templates. */
  request(number: number): Buffer {
    const { bytes, places } = this.templates[number % TEMPLATES] as Template;
    const copy = Buffer.from(bytes);
    const encoding = this.encoding === 'json' ? 'latin1' : 'hex';
    for (const { at, bytes: length, index } of places) copy.write(idOf(number, index, length), at, encoding);
    return copy;
  }

  /** Trace ids of the request of that number. */
  traceIds(number: number): readonly string[] {
    const { spansPerRequest, spansPerTrace } = this.shape;
    return Array.from({ length: spansPerRequest / spansPerTrace }, (_, index) => idOf(number, index, 16));
  }
}

/** An id that is new in every request and spread over the whole key space, as real ones are; hex. */
function idOf(request: number, index: number, bytes: 8 | 16): string {
  let state = Math.imul(request + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b) ^ bytes;
  const words = Array.from({ length: bytes / 4 - 1 }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return hexOf(state ^ (state >>> 13));
  });
  // The last word keeps ids of different requests apart for certain, whatever the others come to.
  return `${words.join('')}${hexOf(Math.imul(request, 1_024) + index)}`;
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

function makeTemplate(
  shape: RequestShape,
  encoding: RequestEncoding,
  texts: AgentConversations,
  number: number,
): Template {
  const { spansPerRequest, spansPerTrace } = shape;
  const spans = Array.from({ length: spansPerRequest }, (_, index) => makeSpan(shape, texts, number, index));
  const resource = {
    attributes: [
      { key: 'service.name', value: { stringValue: 'bench' } },
      { key: 'telemetry.sdk.language', value: { stringValue: 'nodejs' } },
    ],
  };
  const data: TracesData = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'bench' }, spans }] }] };
  const bytes = encoding === 'json' ? Buffer.from(encodeTracesJson(data)) : Buffer.from(encodeTracesProtobuf(data));
  const places = (count: number, length: 8 | 16): IdPlace[] =>
    Array.from({ length: count }, (_, index) =>
      positionsOf(bytes, Buffer.from(idOf(number, index, length), encoding === 'json' ? 'latin1' : 'hex')).map(
        (at): IdPlace => ({ at, bytes: length, index }),
      ),
    ).flat();
  return { bytes, places: [...places(spansPerRequest, 8), ...places(spansPerRequest / spansPerTrace, 16)] };
}

function positionsOf(bytes: Buffer, id: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(id); at !== -1; at = bytes.indexOf(id, at + id.length)) found.push(at);
  return found;
}

function makeSpan(shape: RequestShape, texts: AgentConversations, template: number, index: number): Span {
  const start = 1_763_700_000_000_000_000n + BigInt(template * 1_000_000 + index * 1_000);
  return {
    traceId: idOf(template, Math.floor(index / shape.spansPerTrace), 16),
    spanId: idOf(template, index, 8),
    name: 'chat example-model',
    kind: 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 900_000_000n),
    attributes: shape.spanCharacters === 0 ? smallAttributes(index) : largeAttributes(shape, texts),
  };
}

function text(key: string, stringValue: string): KeyValue {
  return { key, value: { stringValue } };
}

function integer(key: string, value: number): KeyValue {
  return { key, value: { intValue: String(value) } };
}

function largeAttributes({ spanCharacters }: RequestShape, texts: AgentConversations): KeyValue[] {
  const turn = (role: string, content: string): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return [
    text(ATTR_GEN_AI_OPERATION_NAME, GEN_AI_OPERATION_NAME_VALUE_CHAT),
    text(ATTR_GEN_AI_REQUEST_MODEL, 'example-model'),
    integer(ATTR_GEN_AI_USAGE_INPUT_TOKENS, 6_900),
    integer(ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, 540),
    text(ATTR_GEN_AI_INPUT_MESSAGES, turn('user', texts.text(Math.round(spanCharacters * 0.85)))),
    text(ATTR_GEN_AI_OUTPUT_MESSAGES, turn('assistant', texts.text(Math.round(spanCharacters * 0.08)))),
  ];
}

function smallAttributes(number: number): KeyValue[] {
  return [
    text('http.request.method', 'GET'),
    text('http.route', '/api/orders/{order}'),
    text('url.path', `/api/orders/${number * 7919}`),
    text('server.address', 'orders.internal.example.com'),
    integer('server.port', 8443),
    integer('http.response.status_code', number % 50 === 0 ? 500 : 200),
    text('network.protocol.version', '1.1'),
    text('user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101'),
    text('client.address', `10.1.${number % 250}.17`),
    { key: 'cache.hit', value: { boolValue: number % 3 === 0 } },
    { key: 'queue.seconds', value: { doubleValue: number / 1024 } },
    text('deployment.environment.name', 'production'),
  ];
}
