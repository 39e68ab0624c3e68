import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  type Span,
  type SpanContext,
  SpanKind,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { SCHEMA_URL } from '@reenact/semconv/gen-ai';
import type { SpanStart } from '../gate/gate.ts';
import { toHrTime } from '../host/monotonic-clock.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { ID_POOL_BYTES } from '../limits.ts';
import { INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION } from '../version.ts';

/** A started span with a valid identity, whether or not the host's tracer gave it one. */
export interface GateSpan {
  /** The host's span; absent where the tracer failed or there is none. */
  readonly span: Span | undefined;
  readonly spanContext: SpanContext;
  /** The span to make active for what is nested inside. */
  readonly active: Span;
}

/** What a span starts with. */
export interface GateSpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startUnixNano: bigint;
  readonly attributes: Attributes;
  readonly links: Link[];
}

/** OpenTelemetry's number for a span kind. */
export function spanKindOf(kind: SpanStart['kind']): SpanKind {
  switch (kind) {
    case 'internal':
      return SpanKind.INTERNAL;
    case 'server':
      return SpanKind.SERVER;
    case 'client':
      return SpanKind.CLIENT;
    case 'producer':
      return SpanKind.PRODUCER;
    case 'consumer':
      return SpanKind.CONSUMER;
  }
}

let pool: Buffer = Buffer.alloc(0);
let taken = 0;

/** Drawing random bytes is a call to the system: many ids are made of one. */
function randomHex(sizeBytes: number): string {
  if (taken + sizeBytes > pool.length) {
    pool = pristine.randomBytes(ID_POOL_BYTES);
    taken = 0;
  }
  taken += sizeBytes;
  return pool.toString('hex', taken - sizeBytes, taken);
}

function ownSpanContext(parent: SpanContext | undefined): SpanContext {
  const traceId = parent !== undefined && isSpanContextValid(parent) ? parent.traceId : randomHex(16);
  return { traceId, spanId: randomHex(8), traceFlags: TraceFlags.NONE };
}

/** What the API hands out as long as nobody has registered an SDK. */
const nobody = new ProxyTracerProvider().getDelegate();

/** Whether asking this provider for a span gives none of its own, and costs as if it did. */
function isNobody(provider: TracerProvider): boolean {
  return provider instanceof ProxyTracerProvider && provider.getDelegate() === nobody;
}

const tracers = new WeakMap<TracerProvider, Tracer>();

/** Asking a provider for a tracer costs as much as a span does. */
function tracerOf(provider: TracerProvider): Tracer {
  const known = tracers.get(provider);
  if (known !== undefined) return known;
  const tracer = provider.getTracer(INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION, { schemaUrl: SCHEMA_URL });
  tracers.set(provider, tracer);
  return tracer;
}

function hostSpan(provider: TracerProvider, context: Context, start: GateSpanStart): Span | undefined {
  if (isNobody(provider)) return undefined;
  const { name, kind, startUnixNano, attributes, links } = start;
  return tracerOf(provider).startSpan(name, { kind, startTime: toHrTime(startUnixNano), attributes, links }, context);
}

/**
 * Starts the span of a crossing with the host's tracer. Where there is no tracer, or it fails, the crossing gets ids of
 * its own, so that a recording never depends on the host's set-up. Never throws.
 */
export function startGateSpan(provider: TracerProvider | undefined, context: Context, start: GateSpanStart): GateSpan {
  const span = guarded(
    'starting a span',
    () => hostSpan(provider ?? trace.getTracerProvider(), context, start),
    undefined,
  );
  const spanContext = guarded('reading a span', () => span?.spanContext(), undefined);
  const parent = trace.getSpanContext(context);
  // Without an SDK the API's tracer hands out its parent again: a crossing with the id of the one around it would be lost.
  const isNew = spanContext !== undefined && spanContext.spanId !== parent?.spanId;
  if (span !== undefined && isNew && isSpanContextValid(spanContext)) return { span, spanContext, active: span };
  const own = ownSpanContext(parent);
  return { span: undefined, spanContext: own, active: trace.wrapSpanContext(own) };
}
