import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_REENACT_BEGUN,
  ATTR_REENACT_BOUNDARY,
  ATTR_REENACT_CALL,
  ATTR_REENACT_CANONICAL,
  ATTR_REENACT_CAPTURE,
  ATTR_REENACT_DRAWS,
  ATTR_REENACT_DRAWS_DIGEST,
  ATTR_REENACT_EFFECT,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_ERROR_DIGEST,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_EXCHANGES_DIGEST,
  ATTR_REENACT_FORK_OF_SPAN,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_INPUT_DIGEST,
  ATTR_REENACT_INPUT_FORMAT,
  ATTR_REENACT_KEY,
  ATTR_REENACT_LOSSY,
  ATTR_REENACT_MODE,
  ATTR_REENACT_NAME,
  ATTR_REENACT_ORDER,
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_OUTLIVES_RUN,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_OUTPUT_CHUNKS_DIGEST,
  ATTR_REENACT_OUTPUT_DIGEST,
  ATTR_REENACT_OUTPUT_FORMAT,
  ATTR_REENACT_OUTPUT_READER,
  ATTR_REENACT_PARENT,
  ATTR_REENACT_POLICY,
  ATTR_REENACT_PROCESS_DRAWS,
  ATTR_REENACT_PROCESS_DRAWS_DIGEST,
  ATTR_REENACT_REDACTED,
  ATTR_REENACT_REDACTION_KEY,
  ATTR_REENACT_REDACTION_UNREAD,
  ATTR_REENACT_REPLAY_ID,
  ATTR_REENACT_SCHEMA,
  ATTR_REENACT_SDK,
  ATTR_REENACT_SETTLED,
  ATTR_REENACT_SETTLED_MICROTASKS,
  ATTR_REENACT_SETTLED_WITH_PREVIOUS,
  ATTR_REENACT_SOURCE_SPAN,
} from '@reenact/semconv/reenact';
import { canonicalKey, digestOf, type EncodedValue } from '@reenact/trace-model';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { guarded } from '../host/report-failure.ts';
import type { ReadInput } from './input-tree.ts';
import { chunksText, exchangesText } from './payload-texts.ts';

/** Version of the payload schema that this package writes. */
const SCHEMA_VERSION = '1';

interface PayloadKeys {
  readonly data: string;
  readonly digest: string;
  /** Absent where the format is always the same. */
  readonly format?: string;
}

const INPUT: PayloadKeys = {
  data: ATTR_REENACT_INPUT,
  digest: ATTR_REENACT_INPUT_DIGEST,
  format: ATTR_REENACT_INPUT_FORMAT,
};
const OUTPUT: PayloadKeys = {
  data: ATTR_REENACT_OUTPUT,
  digest: ATTR_REENACT_OUTPUT_DIGEST,
  format: ATTR_REENACT_OUTPUT_FORMAT,
};
const ERROR: PayloadKeys = { data: ATTR_REENACT_ERROR, digest: ATTR_REENACT_ERROR_DIGEST };
const CHUNKS: PayloadKeys = { data: ATTR_REENACT_OUTPUT_CHUNKS, digest: ATTR_REENACT_OUTPUT_CHUNKS_DIGEST };
const DRAWS: PayloadKeys = { data: ATTR_REENACT_DRAWS, digest: ATTR_REENACT_DRAWS_DIGEST };
const PROCESS_DRAWS: PayloadKeys = { data: ATTR_REENACT_PROCESS_DRAWS, digest: ATTR_REENACT_PROCESS_DRAWS_DIGEST };
const EXCHANGES: PayloadKeys = { data: ATTR_REENACT_EXCHANGES, digest: ATTR_REENACT_EXCHANGES_DIGEST };

/** Adds attributes to those of a view; one without a value is not added. */
type AddAttribute = (key: string, value: Attributes[string] | undefined) => void;

function addValue(add: AddAttribute, keys: PayloadKeys, encoded: EncodedValue | undefined, isFull: boolean): void {
  if (encoded === undefined) return;
  const { data, digest, format } = encoded.payload;
  if (isFull) add(keys.data, data);
  add(keys.digest, digest);
  if (keys.format !== undefined && format !== 'json') add(keys.format, format);
}

function addText(add: AddAttribute, keys: PayloadKeys, text: string, isFull: boolean): void {
  if (isFull) add(keys.data, text);
  add(keys.digest, digestOf(text));
}

/** The digest of the load-bearing input; left out where the input is not the JSON that its caller took it for. */
function keyOf({ boundary, input }: CrossingFacts, readInput: ReadInput): string | undefined {
  // Without its text an input cannot be keyed.
  if (input?.payload.data === undefined) return undefined;
  return guarded('keying an input', () => canonicalKey(boundary.policy, input.payload, readInput), undefined);
}

/** Which key the tokens were made with is told even where only digests are kept: those are of redacted text. */
function addRedaction(add: AddAttribute, { redacted, redactionKey, unread }: CrossingFacts, isFull: boolean): void {
  if (redacted.length === 0 && unread.length === 0) return;
  add(ATTR_REENACT_REDACTION_KEY, redactionKey);
  if (isFull && redacted.length > 0) add(ATTR_REENACT_REDACTED, [...redacted]);
  if (isFull && unread.length > 0) add(ATTR_REENACT_REDACTION_UNREAD, [...unread]);
}

function addContent(add: AddAttribute, facts: CrossingFacts, readInput: ReadInput): void {
  const { boundary, exchanges, input, outcome, draws, processDraws, lossy } = facts;
  const isFull = boundary.capture === 'full';
  add(ATTR_REENACT_KEY, keyOf(facts, readInput));
  addValue(add, INPUT, input, isFull);
  addValue(add, OUTPUT, outcome.value, isFull);
  addValue(add, ERROR, outcome.error, isFull);
  if (outcome.chunks !== undefined) addText(add, CHUNKS, chunksText(outcome.chunks), isFull);
  if (exchanges.length > 0) addText(add, EXCHANGES, exchangesText(exchanges), isFull);
  // Values of a random source are content: where only digests are kept, nobody could do anything with theirs.
  if (draws !== undefined && isFull) addText(add, DRAWS, draws, true);
  if (processDraws !== undefined && isFull) addText(add, PROCESS_DRAWS, processDraws, true);
  // A mark names members and may quote an error: content, where only digests are kept.
  addRedaction(add, facts, isFull);
  if (isFull && lossy.length > 0) add(ATTR_REENACT_LOSSY, [...lossy]);
}

/** Adds the `reenact.*` attributes of one crossing, as the registry in `semconv/` defines them, at its capture level. */
export function addPayloadAttributes(attributes: Attributes, facts: CrossingFacts, readInput: ReadInput): void {
  const { boundary, outcome, replay } = facts;
  const add: AddAttribute = (key, value) => {
    if (value !== undefined) attributes[key] = value;
  };
  add(ATTR_REENACT_SCHEMA, SCHEMA_VERSION);
  add(ATTR_REENACT_BOUNDARY, boundary.kind);
  add(ATTR_REENACT_NAME, boundary.name);
  add(ATTR_REENACT_PARENT, facts.parentCrossing);
  add(ATTR_REENACT_ORDER, facts.order);
  // A replay leaves out what it refuses after the run.
  if (facts.begun > 0 && replay === undefined) add(ATTR_REENACT_BEGUN, facts.begun);
  add(ATTR_REENACT_SETTLED, facts.settled);
  add(ATTR_REENACT_SETTLED_WITH_PREVIOUS, facts.isSettledWithPrevious);
  add(ATTR_REENACT_SETTLED_MICROTASKS, facts.settledMicrotasks);
  add(ATTR_REENACT_CALL, facts.call);
  add(ATTR_REENACT_EFFECT, boundary.effect);
  if (boundary.capture !== 'full') add(ATTR_REENACT_CAPTURE, boundary.capture);
  add(ATTR_REENACT_CANONICAL, boundary.policy.name);
  add(ATTR_REENACT_OUTCOME, outcome.type);
  add(ATTR_REENACT_OUTPUT_READER, outcome.reader);
  add(ATTR_REENACT_OUTLIVES_RUN, facts.outlivesRun);
  add(ATTR_REENACT_SDK, boundary.sdk);
  add(ATTR_REENACT_MODE, replay?.mode);
  add(ATTR_REENACT_POLICY, replay?.policy);
  add(ATTR_REENACT_FORK_OF_TRACE, replay?.forkOf?.traceId);
  add(ATTR_REENACT_FORK_OF_SPAN, replay?.forkOf?.spanId);
  add(ATTR_REENACT_REPLAY_ID, replay?.replayId);
  add(ATTR_REENACT_SOURCE_SPAN, replay?.source?.spanId);
  if (boundary.capture !== 'none') addContent(add, facts, readInput);
}
