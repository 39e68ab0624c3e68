import { toMap } from '@reenact/otlp';
import {
  ATTR_ERROR_TYPE,
  ATTR_EXCEPTION_TYPE,
  ATTR_SERVICE_NAME,
  ATTR_SESSION_ID,
  ATTR_USER_ID,
} from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_SYSTEM,
  ATTR_GEN_AI_TOOL_NAME,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_REPLAY_ID, ATTR_REENACT_TENANT } from '@reenact/semconv/reenact';
import { type Crossing, crossingLabel } from '@reenact/trace-model';
import type { RunFacet } from '@reenact/trace-model/collector-api';
import { userFacet } from '../../store/index/user-facet.ts';
import { FACET_CHARACTERS_MAX } from '../../store/limits.ts';
import type { RunFacets } from '../../store/store.ts';
import { FACET_VALUES_MAX } from '../limits.ts';
import type { AssembledTrace } from '../traces/assemble-trace.ts';
import { distinct, type ReadSpan, textOf } from '../traces/read-span.ts';
import type { RunLineage } from './run-lineage.ts';

/** The attributes whose values are a facet as they stand. */
const ATTRIBUTES: Partial<Readonly<Record<RunFacet, readonly string[]>>> = {
  agent: [ATTR_GEN_AI_AGENT_NAME],
  model: [ATTR_GEN_AI_RESPONSE_MODEL, ATTR_GEN_AI_REQUEST_MODEL],
  provider: [ATTR_GEN_AI_PROVIDER_NAME, ATTR_GEN_AI_SYSTEM],
  operation: [ATTR_GEN_AI_OPERATION_NAME],
  tool: [ATTR_GEN_AI_TOOL_NAME],
  errorType: [ATTR_ERROR_TYPE],
  session: [ATTR_SESSION_ID, ATTR_GEN_AI_CONVERSATION_ID],
  conversation: [ATTR_GEN_AI_CONVERSATION_ID],
  user: [ATTR_USER_ID],
  tenant: [ATTR_REENACT_TENANT],
  replay: [ATTR_REENACT_REPLAY_ID],
};

/** What says whom a run is for: a process that is of one user or one session names it on its resource. */
const IDENTITY_FACETS: readonly RunFacet[] = ['session', 'conversation', 'user', 'tenant'];

/** All of these attributes. */
export const FACET_KEYS: readonly string[] = Object.values(ATTRIBUTES).flat();

type Found = Record<RunFacet, Set<string>>;

function addValues(values: Set<string>, attributes: ReadSpan['attributes'], keys: readonly string[] = []): void {
  for (const key of keys) {
    const value = textOf(attributes, key);
    if (value !== undefined) values.add(value);
  }
}

function addAttributes(found: Found, { span, attributes, resource }: ReadSpan): void {
  for (const [facet, keys] of Object.entries(ATTRIBUTES)) addValues(found[facet as RunFacet], attributes, keys);
  for (const facet of IDENTITY_FACETS) addValues(found[facet], resource, ATTRIBUTES[facet]);
  const service = textOf(resource, ATTR_SERVICE_NAME);
  if (service !== undefined) found.service.add(service);
  for (const event of span.events ?? []) {
    const type = textOf(toMap(event.attributes), ATTR_EXCEPTION_TYPE);
    if (type !== undefined) found.errorType.add(type);
  }
}

function addCrossing(found: Found, { kind, name }: Crossing): void {
  found.kind.add(kind);
  found.name.add(name);
  found.crossing.add(crossingLabel({ kind, name }));
  if (kind === 'agent') found.agent.add(name);
  if (kind === 'tool') found.tool.add(name);
}

/** Everything a run is found by. What is longer or more than the index takes is left out, but for users. */
export function facetsOf(
  { recording, replayability }: Pick<AssembledTrace, 'recording' | 'replayability'>,
  spans: readonly ReadSpan[],
  { replayOf, forkOf }: RunLineage,
): RunFacets {
  const found: Found = {
    service: new Set(),
    agent: new Set(),
    model: new Set(),
    provider: new Set(),
    operation: new Set(),
    tool: new Set(),
    kind: new Set(),
    name: new Set(),
    crossing: new Set(),
    errorType: new Set(),
    session: new Set(),
    conversation: new Set(),
    user: new Set(),
    tenant: new Set(),
    missing: new Set(replayability.missing.map(({ cause }) => cause)),
    replay: new Set(),
    replayOf: new Set(replayOf === undefined ? [] : [replayOf]),
    forkOf: new Set(forkOf === undefined ? [] : [forkOf.traceId]),
  };
  for (const span of spans) addAttributes(found, span);
  for (const crossing of recording?.crossings ?? []) addCrossing(found, crossing);
  const kept = Object.entries(found).map(([facet, values]) => {
    if (facet === 'user') return [facet, distinct([...values].map(userFacet))] as const;
    const usable = distinct([...values]).filter((value) => value.length <= FACET_CHARACTERS_MAX);
    return [facet, usable.slice(0, FACET_VALUES_MAX)] as const;
  });
  return Object.fromEntries(kept.filter(([, values]) => values.length > 0));
}
