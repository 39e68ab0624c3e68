import { type Attributes, type Context, SpanKind, type SpanOptions, trace } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { enclosingSpan, gate, guarded, isInSpanOfProcess, scopeOf } from '@reenact/instrumentation';
import { ATTR_GEN_AI_OPERATION_NAME } from '@reenact/semconv/gen-ai';

/** What each vocabulary of agents and models says of what a span is when it begins; the conventions' own first. */
const OPERATION_KEYS = [
  ATTR_GEN_AI_OPERATION_NAME,
  'ai.operationId',
  'openinference.span.kind',
  'traceloop.span.kind',
  'langfuse.observation.type',
  'mastra.span.type',
] as const;

/** Scopes of frameworks all of whose spans tell of agents, models and tools, but not in what they say when they begin: Google's ADK. */
const AGENT_SCOPES: readonly string[] = ['gcp.vertex.agent'];

/** Whether all spans of an instrumentation scope tell of an agent, a call of a model or a tool. */
export function isAgentScope(name: string): boolean {
  return AGENT_SCOPES.includes(name);
}

function tellsOfAgent(attributes: Attributes | undefined): boolean {
  return attributes !== undefined && OPERATION_KEYS.some((key) => attributes[key] !== undefined);
}

/** What came in from outside of the process is a unit of work of its own. */
function isReceived({ kind }: SpanOptions): boolean {
  return kind === SpanKind.SERVER || kind === SpanKind.CONSUMER;
}

/** Where a span is begun, and whether that is the run of the process. */
export interface SpanPlace {
  readonly context: Context;
  readonly isInProcessRun: boolean;
}

/**
 * Where a span of an app or its framework begins. One that nothing encloses and that tells of an agent or a model stands in the run of
 * the process, as the calls do that its code makes (docs/adr/0045): as a trace of its own it would part them, and what its code reads from
 * clock and random sources would be in no run. All others are where the app puts them. `isOfAgents`: all spans of its scope tell of these.
 * Never throws.
 */
export function placeOfSpan(options: SpanOptions, context: Context, isOfAgents: boolean): SpanPlace {
  const elsewhere = { context, isInProcessRun: false };
  return guarded('placing a span', () => placed(options, context, isOfAgents) ?? elsewhere, elsewhere);
}

function placed(options: SpanOptions, context: Context, isOfAgents: boolean): SpanPlace | undefined {
  if (options.root === true || scopeOf(context) !== undefined || isTracingSuppressed(context)) return undefined;
  if (enclosingSpan(context) !== undefined) return { context, isInProcessRun: isInSpanOfProcess(context) };
  if (isReceived(options) || !(isOfAgents || tellsOfAgent(options.attributes))) return undefined;
  const root = gate.rootContext();
  const span = root === undefined ? undefined : trace.getSpan(root);
  if (root === undefined || span === undefined || scopeOf(root)?.hasEnded === true) return undefined;
  return { context: trace.setSpan(context, span), isInProcessRun: true };
}
