import { z } from 'zod';

/**
 * The raw bytes of one wire request and response under a crossing (DESIGN section 4, "wire exchanges"). `fetch`: the
 * body after content decoding; `http`: bytes as on the wire; `grpc`: a chunk is one serialized message, the status that of the
 * call, `headers` and `trailers` its metadata, `hasBody` says whether the first came, and `url` is the peer. An exchange replays at its own layer only, but that of a `fetch` which
 * was recorded at its dispatcher: that answers it in the replay, too.
 */
const bytesSchema = z.union([
  z.object({ text: z.string() }),
  z.object({ base64: z.string() }),
  /** The request body is byte for byte the crossing's input payload, kept once. */
  z.object({ sameAs: z.literal('input') }),
]);

const chunkSchema = z.tuple([
  /** Microseconds since the request was sent. */
  z.number(),
  z.union([z.string(), z.object({ base64: z.string() })]),
]);

const responseSchema = z.object({
  status: z.number().int(),
  statusText: z.string(),
  url: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Microseconds since the request was sent until the headers arrived. */
  headersAfterUs: z.number(),
  chunks: z.array(chunkSchema),
  /** How the body ended; `open` means nobody read it to its end before the crossing ended. */
  end: z.enum(['complete', 'failed', 'aborted', 'open']),
  endAfterUs: z.number(),
  /**
   * How the agent stood to a body that did not come to its end: it had been given all that it asked for, or it waited for more. Absent where
   * nobody knows, as in recordings of before.
   */
  reader: z.enum(['satisfied', 'waiting']).optional(),
  hasBody: z.boolean(),
  /** Layer `http` only: `1.1`, `1.0`. */
  httpVersion: z.string().optional(),
  /** Layer `http` only: what followed a chunked body. */
  trailers: z.array(z.tuple([z.string(), z.string()])).optional(),
  /** The body was longer than what is kept: then `chunks` is empty, `end` is `open`, and this says what it was. */
  cut: z.object({ bytes: z.number().int(), sha256: z.string() }).optional(),
});

/** What a server says before its response, such as `103 Early Hints`. */
const interimSchema = z.object({
  status: z.number().int(),
  statusText: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Microseconds since the request was sent. */
  afterUs: z.number(),
});

/** One attempt on the wire; a retry is an exchange of its own. */
export const exchangeSchema = z.object({
  layer: z.enum(['fetch', 'http', 'grpc']),
  attempt: z.number().int(),
  startedAtUnixNano: z.string().regex(/^\d+$/),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: bytesSchema.optional(),
    /** Layer `grpc` only: what was sent, message by message, where that is not in the crossing's input. */
    messages: z.array(chunkSchema).optional(),
    /** Layer `http` only: it failed before all of it had been written to a connection. */
    unsent: z.literal(true).optional(),
    /** Layer `http` only: it went over a connection that an earlier request had left. */
    reused: z.literal(true).optional(),
  }),
  /** Layer `http` only: what came before the response, in order. */
  interim: z.array(interimSchema).optional(),
  response: responseSchema.optional(),
  /** The error with which the request, or reading its body, failed; an error record as the value codec tags it. */
  error: z.unknown().optional(),
});

/** The exchanges of a crossing as they travel in one attribute. */
export const exchangesSchema = z.array(exchangeSchema);
