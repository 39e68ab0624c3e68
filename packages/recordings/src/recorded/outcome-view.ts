import { ATTR_GEN_AI_OUTPUT_MESSAGES, ATTR_GEN_AI_TOOL_CALL_RESULT } from '@reenact/semconv/gen-ai';
import {
  type Crossing,
  chunkBytes,
  type Exchange,
  exchangeText,
  isEventStream,
  type Payload,
  payloadTree,
  readServerSentEvents,
} from '@reenact/trace-model';
import { errorRecordTree, errorTree } from './error-tree.ts';

/** What came out of a crossing, as a tree that JSON paths address. `tree` is absent where it was not recorded. */
export interface OutcomeView {
  /** How it ended; `responses` where the outcome is what came over the wire. */
  readonly type: string;
  readonly tree?: unknown;
}

/** How an outcome is read. */
export interface OutcomeViewOptions {
  /** Keep every event of a streamed response instead of what they add up to. */
  readonly exact: boolean;
}

/** JSON where the text is that, else the text itself. */
export function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON attribute of the semconv view, or undefined where the span does not carry it. */
export function attributeTree(crossing: Crossing, key: string): unknown {
  const value = crossing.attributes.get(key);
  return typeof value === 'string' ? parsedText(value) : (value ?? undefined);
}

/** A response body: JSON, the messages or events of a stream, or text; bytes that are no text as base64. */
function bodyOf(exchange: Exchange, assembled: unknown): unknown {
  const { response } = exchange;
  if (response === undefined || !response.hasBody) return undefined;
  const bytes = response.chunks.map(chunkBytes);
  const text = exchangeText(bytes);
  if (text === undefined) return { base64: Buffer.concat(bytes).toString('base64') };
  if (!isEventStream(response.headers)) return parsedText(text);
  return assembled ?? readServerSentEvents(text).map(({ data }) => parsedText(data));
}

/**
 * The last attempt, which the agent got its answer from, and how the ones before it ended. A stream is shown as the
 * messages it added up to where the recorder kept them, because providers cut the same answer into other chunks each time.
 */
function responsesTree(crossing: Crossing, { exact }: OutcomeViewOptions): unknown {
  const last = crossing.exchanges.at(-1);
  if (last === undefined) return undefined;
  const assembled = exact ? undefined : attributeTree(crossing, ATTR_GEN_AI_OUTPUT_MESSAGES);
  const earlier = crossing.exchanges
    .slice(0, -1)
    .map(({ response, error }) => response?.status ?? errorRecordTree(error));
  const end = last.response?.end;
  return {
    ...(earlier.length === 0 ? {} : { earlierAttempts: earlier }),
    status: last.response?.status,
    ...(end === undefined || end === 'complete' ? {} : { end }),
    body: bodyOf(last, assembled),
    ...(last.error === undefined ? {} : { error: errorRecordTree(last.error) }),
  };
}

function valueTree(payload: Payload | undefined): unknown {
  return payload === undefined ? undefined : payloadTree(payload);
}

function chunksTree(chunks: readonly { readonly value: Payload }[]): unknown {
  const trees = chunks.map(({ value }) => payloadTree(value));
  return trees.every((tree) => typeof tree === 'string') ? trees.join('') : trees;
}

/** What another instrumentation says came out; it has no payload of ours. */
function foreignTree(crossing: Crossing): unknown {
  return attributeTree(crossing, ATTR_GEN_AI_OUTPUT_MESSAGES) ?? attributeTree(crossing, ATTR_GEN_AI_TOOL_CALL_RESULT);
}

function view(type: string, tree: unknown): OutcomeView {
  return tree === undefined ? { type } : { type, tree };
}

/**
 * Reads the outcome of a crossing for people and comparisons. `returned`: the value; `threw`: the error's facts; a stream:
 * `chunks`, as one text where all are text; wire exchanges: `status` and `body` of the last attempt.
 */
export function outcomeView(crossing: Crossing, options: OutcomeViewOptions): OutcomeView {
  const { outcome } = crossing;
  if (crossing.exchanges.length > 0) return view('responses', responsesTree(crossing, options));
  switch (outcome.type) {
    case 'pending':
      return outcome.chunks === undefined
        ? { type: 'pending', tree: null }
        : view('pending', { chunks: chunksTree(outcome.chunks) });
    case 'returned':
      return view('returned', valueTree(outcome.value) ?? foreignTree(crossing));
    case 'threw':
      return view('threw', outcome.error?.data === undefined ? undefined : errorTree(outcome.error));
    case 'ended':
      return view('ended', { chunks: chunksTree(outcome.chunks), value: valueTree(outcome.value) });
    case 'failed': {
      const error = outcome.error?.data === undefined ? undefined : errorTree(outcome.error);
      return view('failed', { chunks: chunksTree(outcome.chunks), error });
    }
    case 'aborted':
      return view('aborted', { chunks: chunksTree(outcome.chunks) });
  }
}
