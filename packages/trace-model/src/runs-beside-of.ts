import { toMap } from '@reenact/otlp';
import { ATTR_REENACT_PROCESS_RUN_BEFORE, ATTR_REENACT_PROCESS_RUN_LATEST } from '@reenact/semconv/reenact';
import type { Recording } from './recording.ts';
import type { RunBeside, RunLink, RunsBeside } from './run-beside.ts';

function linkOf(recording: Recording, spanId: string, key: string): RunLink | undefined {
  for (const link of recording.spans.get(spanId)?.links ?? []) {
    const place = toMap(link.attributes).get(key);
    if (typeof place === 'number' && Number.isSafeInteger(place) && place > 0) {
      return { traceId: link.traceId, spanId: link.spanId, place };
    }
  }
  return undefined;
}

/** The run of the same process that began before a run, as its root says; undefined for the first, and where nothing is said. */
export function runBeforeOf(recording: Recording, spanId: string): RunLink | undefined {
  return linkOf(recording, spanId, ATTR_REENACT_PROCESS_RUN_BEFORE);
}

/**
 * The other runs of the process of a run that began before it ended, as far as they are held in `runsBeside` or in the recording
 * itself: from the latest that it names backwards, each names the one before. `spanId`: the root of the run.
 */
export function runsBesideOf(recording: Recording, spanId: string): RunsBeside {
  const held = new Map([recording, ...recording.runsBeside].map((one) => [one.traceId, one]));
  const before = runBeforeOf(recording, spanId);
  const latest = linkOf(recording, spanId, ATTR_REENACT_PROCESS_RUN_LATEST);
  const found = new Map<string, RunBeside>();
  const seen = new Set([`${recording.traceId}:${spanId}`]);
  const waiting = [before, latest];
  let missing: RunLink | undefined;
  while (waiting.length > 0) {
    const link = waiting.pop();
    // The chain of the latest leads through this run: what is before it is waiting already.
    const key = `${link?.traceId}:${link?.spanId}`;
    if (link === undefined || seen.has(key)) continue;
    seen.add(key);
    const holder = held.get(link.traceId);
    const root = holder?.bySpanId.get(link.spanId);
    if (holder === undefined || root === undefined) {
      missing ??= link;
      continue;
    }
    found.set(key, { recording: holder, root, place: link.place });
    waiting.push(linkOf(holder, link.spanId, ATTR_REENACT_PROCESS_RUN_BEFORE));
  }
  const runs = [...found.values()].sort((left, right) => left.place - right.place);
  // The first run of a process names none before it; neither does the run of the process, which the first is beside.
  const isFirst = before === undefined && latest !== undefined && runs[0]?.place !== 1;
  return { place: before === undefined ? Number(isFirst) : before.place + 1, runs, missing };
}
