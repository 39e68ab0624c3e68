import { hash } from 'node:crypto';
import type { PlainValue } from '@reenact/otlp';
import {
  ATTR_CLOUD_REGION,
  ATTR_ERROR_TYPE,
  ATTR_SERVICE_NAME,
  ATTR_VCS_REF_HEAD_REVISION,
} from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_SCHEMA } from '@reenact/semconv/reenact';
import {
  canonicalJson,
  canonicalKey,
  canonicalPolicy,
  hasContent,
  holdsLongNumber,
  isTree,
  type Payload,
} from '@reenact/trace-model';
import type { Circumstance } from '@reenact/trace-model/collector-api';
import type { Observation } from '../../store/store.ts';
import { OBSERVATIONS_PER_RUN_MAX } from '../limits.ts';
import { type ReadCrossing, type ReadSpan, textOf } from '../traces/read-span.ts';
import { payloadTreeOf } from './payload-tree-of.ts';

/** Bytes of the digests by which inputs and outcomes are compared. */
const DIGEST_BYTES = 16;

/** Members that a provider makes up for every answer: they say nothing about what was answered. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_call_id']);

/** What a model gives the tool that it calls. */
const ARGUMENTS = 'arguments';

function digest(...texts: readonly string[]): Uint8Array {
  return hash('sha256', JSON.stringify(texts), 'buffer').subarray(0, DIGEST_BYTES);
}

function withoutIdentifiers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdentifiers);
  if (!isTree(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !IDENTIFIERS.has(key));
  // What a model asks a tool for it did make up: which order it cancels is what was answered.
  return Object.fromEntries(
    kept.map(([key, member]) => [key, key === ARGUMENTS ? member : withoutIdentifiers(member)]),
  );
}

/** Tells besides how a value was written, which the types of this version of the language do not know. */
type Reviver = (key: string, value: unknown, written: { readonly source?: string }) => unknown;
const parseExactly = JSON.parse as (json: string, reviver: Reviver) => unknown;

/** Two ids that a double cannot tell apart are two. */
const asWritten: Reviver = (_key, value, { source }) => (typeof value === 'number' ? { number: source } : value);

/** What a model said, where the GenAI view of its span holds it. */
function saidOf({ attributes }: ReadCrossing): string | undefined {
  const messages = attributes.get(ATTR_GEN_AI_OUTPUT_MESSAGES);
  if (typeof messages !== 'string') return undefined;
  const said = holdsLongNumber(messages) ? parseExactly(messages, asWritten) : JSON.parse(messages);
  return canonicalJson(withoutIdentifiers(said));
}

/** An error by its class and message: its stack and fields differ from place to place. */
function errorOf(payload: Payload | undefined): string | undefined {
  const tree = payload === undefined ? undefined : payloadTreeOf(payload);
  const record = isTree(tree) && isTree(tree.record) ? tree.record : undefined;
  return record === undefined ? payload?.digest : JSON.stringify([record.class, record.message]);
}

/** What another instrumentation says of a tool in one attribute, JSON mostly: it has no payload of ours. */
function foreignOf({ attributes }: ReadCrossing, key: string): string | undefined {
  const text = attributes.has(ATTR_REENACT_SCHEMA) ? undefined : textOf(attributes, key);
  if (text === undefined) return undefined;
  const canonical = holdsLongNumber(text) ? undefined : attempt(() => canonicalJson(JSON.parse(text)));
  return canonical ?? JSON.stringify(text);
}

/** Of a call that failed another instrumentation says the type of its error at most. */
function foreignErrorOf({ attributes }: ReadCrossing): string | undefined {
  return attributes.has(ATTR_REENACT_SCHEMA) ? undefined : JSON.stringify([textOf(attributes, ATTR_ERROR_TYPE) ?? '']);
}

/** How a crossing ended, as far as it says something about its boundary; undefined where it does not. */
function outcomeOf(crossing: ReadCrossing): string | undefined {
  const { outcome } = crossing;
  switch (outcome.type) {
    case 'pending':
    case 'aborted':
      return undefined;
    case 'threw':
    case 'failed':
      return errorOf(outcome.error) ?? foreignErrorOf(crossing);
    case 'returned':
    case 'ended':
      return saidOf(crossing) ?? outcome.value?.digest ?? foreignOf(crossing, ATTR_GEN_AI_TOOL_CALL_RESULT);
  }
}

function inputOf(crossing: ReadCrossing): string | undefined {
  const { key, input, canonicalPolicy: name } = crossing;
  if (key !== undefined) return key;
  if (input === undefined) return foreignOf(crossing, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS);
  const policy = canonicalPolicy(name);
  return policy === undefined || !hasContent(input)
    ? undefined
    : canonicalKey(policy, input, () => payloadTreeOf(input));
}

function circumstancesOf({ attributes }: ReadCrossing, resource: ReadSpan['resource']): Observation['circumstances'] {
  const found: readonly (readonly [Circumstance, string | undefined])[] = [
    ['commit', textOf(resource, ATTR_VCS_REF_HEAD_REVISION)],
    ['model', textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL)],
    [
      'fingerprint',
      textOf(attributes, ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT) ??
        textOf(attributes, ATTR_GEN_AI_OPENAI_RESPONSE_SYSTEM_FINGERPRINT),
    ],
    ['region', textOf(attributes, ATTR_CLOUD_REGION) ?? textOf(resource, ATTR_CLOUD_REGION)],
  ];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** What a crossing's payload cannot be read for is no reason to lose the others. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const NO_RESOURCE: ReadonlyMap<string, PlainValue> = new Map();

/** What a crossing made of its input; undefined where that says nothing. Agents are left out: their code is what changes. */
export function observeCrossing(crossing: ReadCrossing, resource: ReadSpan['resource']): Observation | undefined {
  const { kind, name, spanId } = crossing;
  const input = kind === 'agent' ? undefined : attempt(() => inputOf(crossing));
  const outcome = input === undefined ? undefined : attempt(() => outcomeOf(crossing));
  if (input === undefined || outcome === undefined) return undefined;
  return {
    spanId,
    kind,
    name,
    service: textOf(resource, ATTR_SERVICE_NAME) ?? '',
    input: digest(kind, name, input),
    outcome: digest(crossing.outcome.type === 'ended' ? 'returned' : crossing.outcome.type, outcome),
    startNs: crossing.startTimeUnixNano < 2n ** 63n ? crossing.startTimeUnixNano : 2n ** 63n - 1n,
    circumstances: circumstancesOf(crossing, resource),
  };
}

/** The same of all crossings of a recorded run that is held whole. */
export function observeCrossings(crossings: readonly ReadCrossing[], spans: readonly ReadSpan[]): Observation[] {
  const resources = new Map(spans.map(({ span, resource }) => [span.spanId, resource]));
  const observed: Observation[] = [];
  for (const crossing of crossings) {
    if (observed.length >= OBSERVATIONS_PER_RUN_MAX) break;
    const observation = observeCrossing(crossing, resources.get(crossing.spanId) ?? NO_RESOURCE);
    if (observation !== undefined) observed.push(observation);
  }
  return observed;
}
