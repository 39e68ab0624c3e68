import type { LogsData, TracesData } from '@reenact/otlp';
import type { Recording } from '@reenact/trace-model';
import { assembleSetUps } from './assemble-set-ups.ts';
import { crossingTree } from './crossing-tree.ts';
import type { CrossingDraft } from './dialect.ts';
import { joinLogEvents } from './join-log-events.ts';
import { judgeReplayability } from './judge-replayability.ts';
import { partTraces } from './part-traces.ts';

/**
 * Assembles everything kept about one trace, and beside it the set-ups that its roots name and other runs of their processes. Tolerates missing parents, late and
 * foreign spans; what is lacking is named in `replayability`. `logs`: log records of the same trace, where instrumentations put
 * what was said into them; what belongs to a span is joined to it, in `data` of the recording too. `read`: what the spans tell of
 * crossings, by span id, where that was read before. Throws ReenactError `recording-damaged` where there is no span, or another trace.
 */
export function assembleRecording(
  received: TracesData,
  logs?: LogsData,
  read?: ReadonlyMap<string, CrossingDraft>,
): Recording {
  const data = logs === undefined ? received : joinLogEvents(received, logs);
  const { own, setUps, beside } = partTraces(data);
  const { spans, resource, drafts, crossings, bySpanId } = crossingTree(own, read === undefined ? {} : { read });
  const roots = crossings.filter(({ parentSpanId }) => parentSpanId === undefined || !bySpanId.has(parentSpanId));
  const traceId = spans.values().next().value?.traceId ?? '';
  return {
    traceId,
    crossings,
    roots,
    bySpanId,
    spans,
    resource,
    replayability: judgeReplayability(crossings, drafts, { spans, resource }),
    setUps: assembleSetUps({ roots, bySpanId, spans }, setUps),
    runsBeside: Array.from(beside.values(), (one) => assembleRecording(one)),
    data,
  };
}
