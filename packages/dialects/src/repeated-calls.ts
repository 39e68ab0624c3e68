import type { PlainValue } from '@reenact/otlp';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
} from '@reenact/semconv/gen-ai';
import type { Attributes } from './attributes.ts';
import { OPEN_CALLS_MAX } from './limits.ts';

/** What it takes to tell whether two spans tell of one call of a model. */
export interface ModelCall {
  readonly spanId: string;
  /** Name of the instrumentation scope. */
  readonly scope: string | undefined;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: Attributes;
}

const NANOS_OF_MILLISECOND = 1_000_000n;

/** As a provider calls them: a router of models puts the provider's name before it, `openai/gpt-5-mini`. */
function modelsOf({ attributes }: ModelCall): string[] {
  const models = [attributes.get(ATTR_GEN_AI_REQUEST_MODEL), attributes.get(ATTR_GEN_AI_RESPONSE_MODEL)];
  return models.flatMap((model) => (typeof model === 'string' ? model.slice(model.lastIndexOf('/') + 1) : []));
}

function idOf({ attributes }: ModelCall): string | undefined {
  const id = attributes.get(ATTR_GEN_AI_RESPONSE_ID);
  return typeof id === 'string' ? id : undefined;
}

/** Frameworks call a chat what Gemini's own API calls generating content. */
function operationOf({ attributes }: ModelCall): PlainValue | undefined {
  const operation = attributes.get(ATTR_GEN_AI_OPERATION_NAME);
  return operation === GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT ? GEN_AI_OPERATION_NAME_VALUE_CHAT : operation;
}

/**
 * By how much a span may have begun earlier, and ended later, than it says. The JavaScript SDK counts from a whole millisecond of the system's clock, which
 * another clock of the same process is never quite level with.
 */
function uncertainty({ startTimeUnixNano }: ModelCall): bigint {
  return startTimeUnixNano % NANOS_OF_MILLISECOND === 0n ? NANOS_OF_MILLISECOND : 0n;
}

function earliestStart(call: ModelCall): bigint {
  return call.startTimeUnixNano - uncertainty(call);
}

function latestEnd(call: ModelCall): bigint {
  return call.endTimeUnixNano + uncertainty(call);
}

/** Whether the first can tell, from above, of the same call as the second. */
function framesCall(outer: ModelCall, inner: ModelCall): boolean {
  if (outer.scope === undefined || inner.scope === undefined || outer.scope === inner.scope) return false;
  if (earliestStart(outer) > inner.startTimeUnixNano || latestEnd(outer) < inner.endTimeUnixNano) return false;
  const [outerId, innerId] = [idOf(outer), idOf(inner)];
  if (outerId !== undefined && innerId !== undefined && outerId !== innerId) return false;
  const models = modelsOf(inner);
  return operationOf(outer) === operationOf(inner) && modelsOf(outer).some((model) => models.includes(model));
}

function byStart(left: ModelCall, right: ModelCall): number {
  const [leftStart, rightStart] = [earliestStart(left), earliestStart(right)];
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  // Of two that start together the longer one is around the other.
  return left.endTimeUnixNano > right.endTimeUnixNano ? -1 : 1;
}

/** Adds to the list of a key, which may become as long as a run. */
export function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/**
 * Calls of models that two instrumentations told of, the framework's and the client's below it, where the framework's span is no parent of the
 * client's: LangChain's is told by callbacks. Gives the client's spans by that of the framework. They are of other scopes, one within the
 * time of the other, with the same operation and model, and never of two response ids; each of the client's has one of the framework's.
 */
export function repeatedCalls(calls: readonly ModelCall[]): ReadonlyMap<string, readonly string[]> {
  const repeated = new Map<string, string[]>();
  if (new Set(calls.map(({ scope }) => scope)).size < 2) return repeated;
  let open: ModelCall[] = [];
  for (const inner of calls.toSorted(byStart)) {
    open = open.filter((outer) => latestEnd(outer) >= inner.startTimeUnixNano).slice(-OPEN_CALLS_MAX);
    const around = open.filter((outer) => framesCall(outer, inner)).reverse();
    const outer =
      around.find((call) => idOf(call) !== undefined && idOf(call) === idOf(inner)) ??
      around.find(({ spanId }) => !repeated.has(spanId)) ??
      around[0];
    if (outer !== undefined) addTo(repeated, outer.spanId, inner.spanId);
    open.push(inner);
  }
  return repeated;
}
