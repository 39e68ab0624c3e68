import {
  type Crossing,
  flagsOf,
  type Outcome,
  type Payload,
  payloadTree,
  type Recording,
  runFailure,
  type StreamChunk,
} from '@reenact/trace-model';
import { requestBeforeOf, requestsGivenBy, runBeforeOf, setUpLinkOf } from '@reenact/trace-model/reading';
import { forksOf } from './lineage.ts';

function treeOf(payload: Payload | undefined): unknown {
  return payload === undefined ? undefined : (payloadTree(payload) ?? { digest: payload.digest });
}

function chunksOf(chunks: readonly StreamChunk[]): object[] {
  return chunks.map(({ offsetUs, value }) => ({ offsetUs, value: treeOf(value) }));
}

function outcomeOf(outcome: Outcome): object {
  switch (outcome.type) {
    case 'pending':
      return {
        type: outcome.type,
        unwritten: outcome.unwritten,
        chunks: outcome.chunks === undefined ? undefined : chunksOf(outcome.chunks),
      };
    case 'returned':
      return { type: outcome.type, value: treeOf(outcome.value) };
    case 'threw':
      return { type: outcome.type, error: treeOf(outcome.error) };
    case 'ended':
    case 'failed':
    case 'aborted':
      return { type: outcome.type, chunks: chunksOf(outcome.chunks) };
  }
}

function crossingOf(crossing: Crossing): object {
  return {
    path: crossing.path,
    spanId: crossing.spanId,
    parentSpanId: crossing.parentSpanId,
    kind: crossing.kind,
    name: crossing.name,
    effect: crossing.effect,
    toolCallId: crossing.toolCallId,
    startTimeUnixNano: crossing.startTimeUnixNano.toString(),
    durationMs: Number(crossing.endTimeUnixNano - crossing.startTimeUnixNano) / 1e6,
    input: treeOf(crossing.input),
    outcome: outcomeOf(crossing.outcome),
    exchanges: crossing.exchanges.length,
    lossy: crossing.lossy,
    ...(flagsOf(crossing).length === 0 ? {} : { flags: flagsOf(crossing) }),
    attributes: Object.fromEntries([...crossing.attributes].filter(([key]) => !key.startsWith('reenact.'))),
  };
}

/** What the programs of the runs did before these began, by the roots that say so. */
function setUpsOf(recording: Recording): object[] {
  return recording.roots.flatMap(({ spanId }) => {
    const link = setUpLinkOf(recording, spanId);
    return link === undefined ? [] : [{ rootSpanId: spanId, ...link }];
  });
}

/** The runs that began before these in their processes, by the roots that say so. */
function runsBeforeOf(recording: Recording): object[] {
  return recording.roots.flatMap(({ spanId }) => {
    const link = runBeforeOf(recording, spanId);
    return link === undefined ? [] : [{ rootSpanId: spanId, ...link }];
  });
}

/** The requests that came to the processes of these before them and may have left something in memory, by the roots that say so. */
function requestsBeforeOf(recording: Recording): object[] {
  return recording.roots.flatMap(({ spanId }) => {
    const link = requestBeforeOf(recording, spanId);
    return link === undefined ? [] : [{ rootSpanId: spanId, ...link }];
  });
}

/** The requests whose answers gave these what they brought back, a cookie for one. */
function requestsGivenOf(recording: Recording): object[] {
  return recording.roots.flatMap(({ spanId }) =>
    requestsGivenBy(recording, spanId).map((link) => ({ rootSpanId: spanId, ...link })),
  );
}

/** One run as JSON for programs; values in the tagged form of docs/adr/0004. */
export function renderRunJson(recording: Recording): string {
  return JSON.stringify(
    {
      traceId: recording.traceId,
      resource: Object.fromEntries(recording.resource),
      replayability: recording.replayability,
      failure: runFailure(recording),
      ...(forksOf(recording).length === 0 ? {} : { forkOf: forksOf(recording)[0] }),
      ...(runsBeforeOf(recording).length === 0 ? {} : { runsBefore: runsBeforeOf(recording) }),
      ...(requestsBeforeOf(recording).length === 0 ? {} : { requestsBefore: requestsBeforeOf(recording) }),
      ...(requestsGivenOf(recording).length === 0 ? {} : { requestsGiven: requestsGivenOf(recording) }),
      ...(setUpsOf(recording).length === 0 ? {} : { setUps: setUpsOf(recording) }),
      crossings: recording.crossings.map(crossingOf),
    },
    null,
    2,
  );
}

/** One crossing as JSON for programs. */
export function renderCrossingJson(crossing: Crossing): string {
  return JSON.stringify(crossingOf(crossing), null, 2);
}
