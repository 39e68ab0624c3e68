import type { Span } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { ATTR_REENACT_EXCHANGES_DIGEST, ATTR_REENACT_OUTPUT_CHUNKS_DIGEST } from '@reenact/semconv/reenact';
import {
  digestOf,
  type EncodedValue,
  type Exchange,
  type Payload,
  type PayloadFormat,
  payloadOf,
  ReenactError,
} from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { CrossingFacts, RecordedOutcome } from '../gate/crossing-facts.ts';
import { redactAttributes, redactText } from '../redaction/places/redact-crossing.ts';
import { redactedEvents } from '../redaction/places/redacted-span.ts';
import { chunksText, exchangesText } from '../view/payload-texts.ts';
import { recordingView } from '../view/recording-view.ts';
import { plainContext, plainLinks, readableSpan, type StoredSpan, storedSpan } from './stored-span.ts';

/** How long an input may be to be kept beside the digests of a crossing that is too large for a frame. */
const SMALL_CHARACTERS_MAX = 8 * 1024;

/** A text of the frame by its index, or what is known of it where it is kept elsewhere or not at all. */
type StoredValue =
  /** The frame's checksum guards the text: its digest is taken when it is exported. Older frames hold it. */
  | { readonly format: PayloadFormat; readonly text: number; readonly digest?: string }
  | { readonly format: PayloadFormat; readonly digest: string; readonly text?: undefined };

/** What the host's code added to its span: what a view takes from there. */
type HostSpan = Pick<
  ReadableSpan,
  'attributes' | 'events' | 'links' | 'status' | 'droppedAttributesCount' | 'droppedEventsCount' | 'droppedLinksCount'
>;

/** The JSON of a frame. `facts` without what is in texts, or the whole span where only digests may be kept. */
interface CrossingHead {
  readonly facts?: Omit<CrossingFacts, 'boundary' | 'input' | 'outcome' | 'exchanges' | 'draws' | 'span'>;
  readonly outcome?: RecordedOutcome['type'];
  readonly reader?: RecordedOutcome['reader'];
  readonly input?: StoredValue | undefined;
  readonly value?: StoredValue | undefined;
  readonly error?: StoredValue | undefined;
  readonly chunks?: number | undefined;
  readonly exchanges?: number | undefined;
  readonly draws?: number | undefined;
  readonly host?: HostSpan | undefined;
  readonly view?: StoredSpan;
}

/** `<trace id>:<span id>`: the first part of a frame, by which a crossing that ended replaces the one that was pending. */
export function spanKeyOf({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): string {
  return `${traceId}:${spanId}`;
}

/** Collects the texts of a frame and names them by their index. */
class TextTable {
  readonly texts: string[] = [];

  add(text: string): number {
    return this.texts.push(text) - 1;
  }

  value(encoded: EncodedValue | undefined): StoredValue | undefined {
    if (encoded === undefined) return undefined;
    const { payload } = encoded;
    const { format, data } = payload;
    return data === undefined ? { format, digest: payload.digest } : { format, text: this.add(data) };
  }
}

function hostSpanOf({ span, slim }: CrossingFacts): HostSpan | undefined {
  const host = span as Partial<ReadableSpan> | undefined;
  if (host?.attributes === undefined || host.resource === undefined) return undefined;
  const { attributes, events = [], links = [], status } = host;
  const { droppedAttributesCount = 0, droppedEventsCount = 0, droppedLinksCount = 0 } = host;
  const isBare = droppedAttributesCount + droppedEventsCount + droppedLinksCount + events.length + links.length === 0;
  if (isBare && (status?.code ?? 0) === 0 && Object.keys(attributes).every((key) => key in slim)) return undefined;
  // What the host's code put on the span, exceptions for one, is written to the disk without secrets, too.
  const message = status?.message === undefined ? {} : { message: redactText(status.message) };
  return {
    attributes: redactAttributes(attributes),
    events: redactedEvents(events),
    links: plainLinks(links),
    status: status === undefined ? { code: 0 } : { ...status, ...message },
    droppedAttributesCount,
    droppedEventsCount,
    droppedLinksCount,
  };
}

function factsHead(facts: CrossingFacts, table: TextTable): CrossingHead {
  const { input, outcome, exchanges, draws, parentSpanContext } = facts;
  // JSON leaves out what is undefined: nothing is copied to leave it out before.
  return {
    facts: {
      ...facts,
      spanContext: plainContext(facts.spanContext),
      parentSpanContext: parentSpanContext === undefined ? undefined : plainContext(parentSpanContext),
      links: plainLinks(facts.links),
      ...elsewhere,
    },
    outcome: outcome.type,
    reader: outcome.reader,
    input: table.value(input),
    value: table.value(outcome.value),
    error: table.value(outcome.error),
    chunks: outcome.chunks === undefined ? undefined : table.add(chunksText(outcome.chunks)),
    exchanges: exchanges.length === 0 ? undefined : table.add(exchangesText(exchanges)),
    draws: draws === undefined ? undefined : table.add(draws),
    host: hostSpanOf(facts),
  };
}

/** What of the facts stands beside them in a frame, or is made again when it is read. */
const elsewhere = {
  boundary: undefined,
  input: undefined,
  outcome: undefined,
  exchanges: undefined,
  draws: undefined,
  span: undefined,
} as const;

function defined<Key extends string, Value>(key: Key, value: Value | undefined): { [Name in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [Name in Key]?: Value });
}

/** Makes the span that is exported, of facts and the resource of their host's span. */
export type ViewOf = (facts: CrossingFacts) => ReadableSpan;

/** Gives the resource of that span. */
export type ResourceOfCrossing = (facts: CrossingFacts) => Resource;

/**
 * The parts of a frame that holds one crossing whole. Below full capture nothing but what will be exported is written down.
 */
export function crossingParts(facts: CrossingFacts, viewOf: ViewOf): string[] {
  if (facts.boundary.capture !== 'full') return spanParts(viewOf(facts));
  const table = new TextTable();
  const head = factsHead(facts, table);
  return [spanKeyOf(facts.spanContext), JSON.stringify(head), boundaryText(facts.boundary), ...table.texts];
}

function digestOnly(encoded: EncodedValue | undefined): EncodedValue | undefined {
  if (encoded === undefined) return undefined;
  const { format, digest } = encoded.payload;
  return { payload: { format, digest }, lossy: [] };
}

function smallOrDigest(encoded: EncodedValue | undefined): EncodedValue | undefined {
  return (encoded?.payload.data?.length ?? 0) > SMALL_CHARACTERS_MAX ? digestOnly(encoded) : encoded;
}

/**
 * The parts of a frame that stands for a crossing too large to be written before the host goes on: pending, with the digests
 * of what it came to, and its input where that is small.
 */
export function digestParts(facts: CrossingFacts, viewOf: ViewOf): string[] {
  const { outcome, exchanges } = facts;
  const { chunks } = outcome;
  const view = viewOf({
    ...facts,
    endTime: facts.startTime,
    duration: [0, 0],
    settled: undefined,
    content: {},
    input: smallOrDigest(facts.input),
    outcome: {
      type: 'pending',
      ...defined('value', digestOnly(outcome.value)),
      ...defined('error', digestOnly(outcome.error)),
    },
    exchanges: [],
    draws: undefined,
  });
  const attributes = {
    ...view.attributes,
    ...(chunks === undefined ? {} : { [ATTR_REENACT_OUTPUT_CHUNKS_DIGEST]: digestOf(chunksText(chunks)) }),
    ...(exchanges.length === 0 ? {} : { [ATTR_REENACT_EXCHANGES_DIGEST]: digestOf(exchangesText(exchanges)) }),
  };
  return spanParts({ ...view, attributes });
}

const boundaryTexts = new WeakMap<BoundaryDefinition, string>();

/** A boundary is the same at each call: its JSON is written once. */
function boundaryText(boundary: BoundaryDefinition): string {
  const known = boundaryTexts.get(boundary);
  if (known !== undefined) return known;
  const text = JSON.stringify(boundary);
  boundaryTexts.set(boundary, text);
  return text;
}

/** The parts of a frame that holds a span which is no crossing. */
export function spanParts(span: ReadableSpan): string[] {
  const view = storedSpan(span);
  return [spanKeyOf(view.context), JSON.stringify({ view })];
}

function payloadIn(stored: StoredValue, texts: readonly string[]): Payload {
  const { format } = stored;
  if (stored.text === undefined) return { format, digest: stored.digest };
  const made = payloadOf(format, texts[stored.text] ?? '');
  return stored.digest === undefined ? made : { format, data: made.data ?? '', digest: stored.digest };
}

function encodedOf(stored: StoredValue | undefined, texts: readonly string[]): EncodedValue | undefined {
  return stored === undefined ? undefined : { payload: payloadIn(stored, texts), lossy: [] };
}

function chunksOf(text: string): NonNullable<RecordedOutcome['chunks']> {
  const chunks = JSON.parse(text) as [offsetUs: number, format: PayloadFormat, data: string, microtasks?: number][];
  return chunks.map(([offsetUs, format, data, microtasks]) => ({
    offsetUs,
    microtasks,
    value: { payload: payloadOf(format, data), lossy: [] },
  }));
}

function outcomeOf(head: CrossingHead, texts: readonly string[]): RecordedOutcome {
  const chunks = head.chunks === undefined ? undefined : texts[head.chunks];
  return {
    type: head.outcome ?? 'pending',
    ...defined('value', encodedOf(head.value, texts)),
    ...defined('error', encodedOf(head.error, texts)),
    ...(chunks === undefined ? {} : { chunks: chunksOf(chunks) }),
    ...defined('reader', head.reader),
  };
}

function factsOf(
  head: CrossingHead,
  boundary: string,
  texts: readonly string[],
  resource: Resource,
): CrossingFacts | undefined {
  if (head.facts === undefined) return undefined;
  const exchanges = head.exchanges === undefined ? undefined : texts[head.exchanges];
  return {
    ...head.facts,
    parentSpanContext: head.facts.parentSpanContext,
    parentCrossing: head.facts.parentCrossing,
    settled: head.facts.settled,
    // Absent where a recorder wrote the frame that did not redact yet.
    redacted: head.facts.redacted ?? [],
    replay: head.facts.replay,
    boundary: JSON.parse(boundary) as BoundaryDefinition,
    input: encodedOf(head.input, texts),
    outcome: outcomeOf(head, texts),
    exchanges: exchanges === undefined ? [] : (JSON.parse(exchanges) as Exchange[]),
    draws: head.draws === undefined ? undefined : texts[head.draws],
    span: head.host === undefined ? undefined : ({ ...head.host, resource } as unknown as Span),
  };
}

/** The span that a frame holds, as it would have been exported. Throws where the frame's JSON is not what its type says. */
export function spanOfParts(parts: readonly string[], resource: Resource): ReadableSpan {
  const [, headText = '{}', boundary = '{}', ...texts] = parts;
  const head = JSON.parse(headText) as CrossingHead;
  if (head.view !== undefined) return readableSpan(head.view, resource);
  const facts = factsOf(head, boundary, texts, resource);
  if (facts === undefined)
    throw new ReenactError('recording-damaged', 'A frame of the spool holds neither a crossing nor a span.');
  return recordingView(facts, () => resource);
}
