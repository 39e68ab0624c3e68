import { toMap } from '@reenact/otlp';
import {
  ATTR_REENACT_PROCESS_REQUEST_BEFORE,
  ATTR_REENACT_PROCESS_REQUEST_LATEST,
  ATTR_REENACT_PROCESS_RUN_BEFORE,
  ATTR_REENACT_PROCESS_RUN_LATEST,
} from '@reenact/semconv/reenact';
import type { Recording } from './recording.ts';
import type { RequestsBeside, RunBeside, RunLink, RunsBeside } from './run-beside.ts';

type Held = ReadonlyMap<string, Recording>;

/** The links of a span that say a place under this key, the highest first. */
function linksOf(recording: Recording, spanId: string, key: string): RunLink[] {
  const found = (recording.spans.get(spanId)?.links ?? []).flatMap((link) => {
    const place = toMap(link.attributes).get(key);
    const isPlace = typeof place === 'number' && Number.isSafeInteger(place) && place > 0;
    return isPlace ? [{ traceId: link.traceId, spanId: link.spanId, place }] : [];
  });
  return found.sort((left, right) => right.place - left.place);
}

function linkOf(recording: Recording, spanId: string, key: string): RunLink | undefined {
  return linksOf(recording, spanId, key)[0];
}

/** The run of the same process that began before a run, as its root says; undefined for the first, and where nothing is said. */
export function runBeforeOf(recording: Recording, spanId: string): RunLink | undefined {
  return linkOf(recording, spanId, ATTR_REENACT_PROCESS_RUN_BEFORE);
}

/** The request that came to the same process before one and may have left something in its memory, as its root says; undefined for the first. */
export function requestBeforeOf(recording: Recording, spanId: string): RunLink | undefined {
  return linkOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_BEFORE);
}

function heldAt(held: Held, link: RunLink): RunBeside | undefined {
  const recording = held.get(link.traceId);
  const root = recording?.bySpanId.get(link.spanId);
  return recording === undefined || root === undefined ? undefined : { recording, root, place: link.place };
}

function inOrder(runs: readonly RunBeside[]): RunBeside[] {
  return [...runs].sort((left, right) => left.place - right.place);
}

/** From the latest of these backwards, each names the one before it. */
function runsBegun(
  held: Held,
  own: string,
  links: readonly (RunLink | undefined)[],
): Pick<RunsBeside, 'runs' | 'missing'> {
  const found = new Map<string, RunBeside>();
  const seen = new Set([own]);
  const waiting = [...links];
  let missing: RunLink | undefined;
  while (waiting.length > 0) {
    const link = waiting.pop();
    // The chain of the latest leads through this run: what is before it is waiting already.
    const key = `${link?.traceId}:${link?.spanId}`;
    if (link === undefined || seen.has(key)) continue;
    seen.add(key);
    const run = heldAt(held, link);
    if (run === undefined) {
      missing ??= link;
      continue;
    }
    found.set(key, run);
    waiting.push(runBeforeOf(run.recording, link.spanId));
  }
  return { runs: inOrder([...found.values()]), missing };
}

/** How a request stands among those that began before it ended, and which of these are held: each names one or two before it. */
function requestsBegun(
  held: Held,
  recording: Recording,
  spanId: string,
): { readonly runs: readonly RunBeside[]; readonly requests: RequestsBeside | undefined } {
  const before = requestBeforeOf(recording, spanId);
  const latest = linkOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_LATEST);
  const waiting = [...linksOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_BEFORE), latest];
  if (before === undefined && latest === undefined) return { runs: [], requests: undefined };
  const runs: RunBeside[] = [];
  const missing: RunLink[] = [];
  const seen = new Set([spanId]);
  for (let link = waiting.pop(); waiting.length > 0 || link !== undefined; link = waiting.pop()) {
    if (link === undefined || seen.has(link.spanId)) continue;
    seen.add(link.spanId);
    const run = heldAt(held, link);
    if (run === undefined) {
      missing.push(link);
      continue;
    }
    runs.push(run);
    waiting.push(...linksOf(run.recording, link.spanId, ATTR_REENACT_PROCESS_REQUEST_BEFORE));
  }
  missing.sort((left, right) => right.place - left.place);
  const ahead = before?.place ?? 0;
  const recorded = Math.max(ahead, (latest?.place ?? 1) - 1);
  return { runs, requests: { place: ahead + 1, recorded, held: runs.length, missing } };
}

/**
 * The other runs of the process of a run that began before it ended, as far as they are held in `runsBeside` or in the recording
 * itself: from the latest that it names backwards, each names the one before. Of a request these are what its service began before the first
 * request, and behind them the requests before it and beside it. `spanId`: the root of the run.
 */
export function runsBesideOf(recording: Recording, spanId: string): RunsBeside {
  const held = new Map([recording, ...recording.runsBeside].map((one) => [one.traceId, one]));
  const before = runBeforeOf(recording, spanId);
  const latest = linkOf(recording, spanId, ATTR_REENACT_PROCESS_RUN_LATEST);
  const begun = runsBegun(held, `${recording.traceId}:${spanId}`, [before, latest]);
  const { runs: came, requests } = requestsBegun(held, recording, spanId);
  if (requests !== undefined && came.length > 0) {
    const atStart = before?.place ?? 0;
    const placed = came.map((run) => ({ ...run, place: atStart + run.place }));
    return { ...begun, place: atStart + requests.place, runs: inOrder([...begun.runs, ...placed]), requests };
  }
  // The first run of a process names none before it; neither does the run of the process, which the first is beside.
  const isFirst = before === undefined && latest !== undefined && begun.runs[0]?.place !== 1;
  return { ...begun, place: before === undefined ? Number(isFirst) : before.place + 1, requests };
}
