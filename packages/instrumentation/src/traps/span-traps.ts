import { type Span, TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { ATTR_URL_FULL } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
} from '@reenact/semconv/gen-ai';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { forgetOldest } from '../host/forget-oldest.ts';
import { guarded } from '../host/report-failure.ts';
import { MODEL_TRACES_KEPT_MAX } from '../limits.ts';
import { isByCoveredClient } from './covered-client.ts';
import { tallyCrossing } from './crossing-tally.ts';
import { tallyFlagged } from './flagged-tally.ts';
import { isModelAddress } from './model-address.ts';
import { reportLimits } from './setting-traps.ts';
import { trapLog } from './trap-log.ts';

/** A span as SDKs make it; one of an SDK that keeps its facts elsewhere says nothing here. */
type EndedSpan = Pick<Span, 'spanContext'> &
  Partial<Pick<ReadableSpan, 'attributes' | 'instrumentationScope' | 'name'>>;

/** Finds traps in the crossings and spans of a process. One per recorder. */
export class SpanTraps {
  /** Traces with a model crossing of ours, oldest first. */
  private readonly modelTraces = new Set<string>();
  private hasSeenDrop = false;
  private hasLookedAtLimits = false;

  /** Looks at a recorded crossing. Never throws. */
  recorded(facts: CrossingFacts): void {
    guarded('looking for traps', () => this.look(facts), undefined);
  }

  /** Looks at a span of somebody else. Never throws. */
  ended(span: EndedSpan): void {
    guarded('looking for traps', () => this.lookAtOther(span), undefined);
  }

  private look(facts: CrossingFacts): void {
    const { boundary, spanContext, span } = facts;
    // Not at the start: an SDK of the app's, whose log this is for, is made behind what it is given.
    if (!this.hasLookedAtLimits) {
      this.hasLookedAtLimits = true;
      reportLimits(process.env);
    }
    tallyFlagged(facts);
    tallyCrossing(boundary);
    if (boundary.kind === 'model') {
      this.modelTraces.add(spanContext.traceId);
      forgetOldest(this.modelTraces, MODEL_TRACES_KEPT_MAX);
    } else if (boundary.kind === 'http') {
      this.lookAtRequest(facts);
    }
    if (!this.hasSeenDrop && span !== undefined && (spanContext.traceFlags & TraceFlags.SAMPLED) === 0) {
      this.hasSeenDrop = true;
      trapLog.report('sampler-drops', `first seen at ${boundary.kind}:${boundary.name}`);
    }
  }

  private lookAtRequest({ slim, exchanges }: CrossingFacts): void {
    const address = slim[ATTR_URL_FULL];
    if (typeof address !== 'string' || !isModelAddress(address)) return;
    // A WebSocket to a model: what it is asked and answers is recorded message by message.
    if (exchanges.some(({ response }) => response?.status === 101)) return;
    const isTold = slim[ATTR_GEN_AI_REQUEST_MODEL] !== undefined || slim[ATTR_GEN_AI_RESPONSE_MODEL] !== undefined;
    const isPlain = isTold && !exchanges.some(isByCoveredClient);
    trapLog.report(isPlain ? 'plain-model-call' : 'unseen-model-call', address);
  }

  private lookAtOther(span: EndedSpan): void {
    if (span.attributes?.[ATTR_GEN_AI_OPERATION_NAME] === undefined) return;
    if (!this.modelTraces.has(span.spanContext().traceId)) return;
    trapLog.report('second-genai-spans', `scope ${span.instrumentationScope?.name ?? 'unknown'}, span "${span.name}"`);
  }
}
