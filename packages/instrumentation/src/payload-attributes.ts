import type { Attributes } from '@opentelemetry/api';
import {
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
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_OUTPUT_CHUNKS_DIGEST,
  ATTR_REENACT_OUTPUT_DIGEST,
  ATTR_REENACT_OUTPUT_FORMAT,
  ATTR_REENACT_PARENT,
  ATTR_REENACT_POLICY,
  ATTR_REENACT_REDACTED,
  ATTR_REENACT_REDACTION_KEY,
  ATTR_REENACT_REDACTION_UNREAD,
  ATTR_REENACT_REPLAY_ID,
  ATTR_REENACT_SCHEMA,
  ATTR_REENACT_SDK,
  ATTR_REENACT_SETTLED,
  ATTR_REENACT_SOURCE_SPAN,
} from '@reenact/semconv/reenact';
import { canonicalKey, digestOf, type EncodedValue } from '@reenact/trace-model';
import type { CrossingFacts } from './crossing-facts.ts';
import { chunksText, exchangesText } from './payload-texts.ts';
import { guarded } from './report-failure.ts';
import { definedAttributes } from './span-attributes.ts';

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
const EXCHANGES: PayloadKeys = { data: ATTR_REENACT_EXCHANGES, digest: ATTR_REENACT_EXCHANGES_DIGEST };

function valueAttributes(keys: PayloadKeys, encoded: EncodedValue | undefined, isFull: boolean): Attributes {
  if (encoded === undefined) return {};
  const { data, digest, format } = encoded.payload;
  return definedAttributes({
    [keys.data]: isFull ? data : undefined,
    [keys.digest]: digest,
    ...(keys.format === undefined || format === 'json' ? {} : { [keys.format]: format }),
  });
}

function textAttributes(keys: PayloadKeys, text: string, isFull: boolean): Attributes {
  return { ...(isFull ? { [keys.data]: text } : {}), [keys.digest]: digestOf(text) };
}

/** The digest of the load-bearing input; left out where the input is not the JSON that its caller took it for. */
function keyAttributes({ boundary, input }: CrossingFacts): Attributes {
  // Without its text an input cannot be keyed.
  if (input?.payload.data === undefined) return {};
  const key = guarded('keying an input', () => canonicalKey(boundary.policy, input.payload), undefined);
  return key === undefined ? {} : { [ATTR_REENACT_KEY]: key };
}

/** Which key the tokens were made with is told even where only digests are kept: those are of redacted text. */
function redactionAttributes({ redacted, redactionKey, unread }: CrossingFacts, isFull: boolean): Attributes {
  if (redacted.length === 0 && unread.length === 0) return {};
  return {
    ...(redactionKey === undefined ? {} : { [ATTR_REENACT_REDACTION_KEY]: redactionKey }),
    ...(isFull && redacted.length > 0 ? { [ATTR_REENACT_REDACTED]: [...redacted] } : {}),
    ...(isFull && unread.length > 0 ? { [ATTR_REENACT_REDACTION_UNREAD]: [...unread] } : {}),
  };
}

function contentAttributes(facts: CrossingFacts): Attributes {
  const { boundary, exchanges, input, outcome } = facts;
  const isFull = boundary.capture === 'full';
  return {
    ...keyAttributes(facts),
    ...valueAttributes(INPUT, input, isFull),
    ...valueAttributes(OUTPUT, outcome.value, isFull),
    ...valueAttributes(ERROR, outcome.error, isFull),
    ...(outcome.chunks === undefined ? {} : textAttributes(CHUNKS, chunksText(outcome.chunks), isFull)),
    ...(exchanges.length === 0 ? {} : textAttributes(EXCHANGES, exchangesText(exchanges), isFull)),
    // Values of a random source are content: where only digests are kept, nobody could do anything with theirs.
    ...(facts.draws === undefined || !isFull ? {} : textAttributes(DRAWS, facts.draws, true)),
    // A mark names members and may quote an error: content, where only digests are kept.
    ...redactionAttributes(facts, isFull),
    ...(isFull && facts.lossy.length > 0 ? { [ATTR_REENACT_LOSSY]: [...facts.lossy] } : {}),
  };
}

/** The `reenact.*` attributes of one crossing, as the registry in `semconv/` defines them, at its capture level. */
export function payloadAttributes(facts: CrossingFacts): Attributes {
  const { boundary, outcome, replay } = facts;
  return {
    ...definedAttributes({
      [ATTR_REENACT_SCHEMA]: SCHEMA_VERSION,
      [ATTR_REENACT_BOUNDARY]: boundary.kind,
      [ATTR_REENACT_NAME]: boundary.name,
      [ATTR_REENACT_PARENT]: facts.parentCrossing,
      [ATTR_REENACT_ORDER]: facts.order,
      [ATTR_REENACT_SETTLED]: facts.settled,
      [ATTR_REENACT_CALL]: facts.call,
      [ATTR_REENACT_EFFECT]: boundary.effect,
      [ATTR_REENACT_CAPTURE]: boundary.capture === 'full' ? undefined : boundary.capture,
      [ATTR_REENACT_CANONICAL]: boundary.policy.name,
      [ATTR_REENACT_OUTCOME]: outcome.type,
      [ATTR_REENACT_SDK]: boundary.sdk,
      [ATTR_REENACT_MODE]: replay?.mode,
      [ATTR_REENACT_POLICY]: replay?.policy,
      [ATTR_REENACT_FORK_OF_TRACE]: replay?.forkOf?.traceId,
      [ATTR_REENACT_FORK_OF_SPAN]: replay?.forkOf?.spanId,
      [ATTR_REENACT_REPLAY_ID]: replay?.replayId,
      [ATTR_REENACT_SOURCE_SPAN]: replay?.source?.spanId,
    }),
    ...(boundary.capture === 'none' ? {} : contentAttributes(facts)),
  };
}
