import { toMap } from '@reenact/otlp';
import {
  ATTR_REENACT_PROCESS_REQUEST_BEFORE,
  ATTR_REENACT_PROCESS_REQUEST_GIVEN,
  ATTR_REENACT_PROCESS_REQUEST_LATEST,
  ATTR_REENACT_PROCESS_RUN_BEFORE,
  ATTR_REENACT_PROCESS_RUN_LATEST,
} from '@reenact/semconv/reenact';
import type { Recording } from './recording.ts';
import type { RequestsBeside, RunBeside, RunLink, RunsBeside } from './run-beside.ts';

type Held = ReadonlyMap<string, Recording>;

/** The links of a span that say a place under this key, the highest first. */
function linksOf(recording: Recording, spanId: string, key: string, placeMin = 1): RunLink[] {
  const found = (recording.spans.get(spanId)?.links ?? []).flatMap((link) => {
    const place = toMap(link.attributes).get(key);
    const isPlace = typeof place === 'number' && Number.isSafeInteger(place) && place >= placeMin;
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

/**
 * The requests to the same process whose answers gave a request what it brought back, a cookie for one, the latest first (docs/adr/0053). One that is none
 * of those that may have left something in memory has the place 0.
 */
export function requestsGivenBy(recording: Recording, spanId: string): RunLink[] {
  return linksOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_GIVEN, 0);
}

function heldAt(held: Held, link: RunLink): RunBeside | undefined {
  const recording = held.get(link.traceId);
  const root = recording?.bySpanId.get(link.spanId);
  return recording === undefined || root === undefined ? undefined : { recording, root, place: link.place };
}

function inOrder(runs: readonly RunBeside[]): RunBeside[] {
  const startOf = ({ root }: RunBeside): bigint => root.startTimeUnixNano;
  // One that does not count has the place of another.
  return [...runs].sort((left, right) => left.place - right.place || Number(startOf(left) - startOf(right)));
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

/** Those that a request names: one or two before it, and those whose answers gave what it brought. */
function requestsNamedBy(recording: Recording, spanId: string): RunLink[] {
  return [...linksOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_BEFORE), ...requestsGivenBy(recording, spanId)];
}

/** One that does not count itself stands behind the one before it. */
function withPlace(run: RunBeside): RunBeside {
  if (run.place > 0) return run;
  return { ...run, place: (requestBeforeOf(run.recording, run.root.spanId)?.place ?? 0) + 1 };
}

/** Whether one began before another came to its end. */
function beganBeforeEndOf({ root }: RunBeside, recording: Recording, spanId: string): boolean {
  return root.startTimeUnixNano <= (recording.bySpanId.get(spanId)?.endTimeUnixNano ?? 0n);
}

/** The requests that a request leads to, held and missing, by the span id of their root. */
class RequestsFound {
  readonly runs = new Map<string, RunBeside>();
  readonly missing = new Map<string, RunLink>();
  readonly perhaps = new Map<string, RunLink>();
  private readonly held: Held;
  private readonly recording: Recording;
  private readonly spanId: string;

  constructor(held: Held, recording: Recording, spanId: string) {
    this.held = held;
    this.recording = recording;
    this.spanId = spanId;
    const latest = linkOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_LATEST);
    const waiting = [...requestsNamedBy(recording, spanId), ...(latest === undefined ? [] : [latest])];
    for (let link = waiting.pop(); link !== undefined; link = waiting.pop()) waiting.push(...this.follow(link));
  }

  /** The links that it leads to. */
  private follow(link: RunLink): RunLink[] {
    if (link.spanId === this.spanId) return [];
    const run = heldAt(this.held, link);
    if (run === undefined) {
      if ((this.missing.get(link.spanId)?.place ?? 0) <= link.place) this.missing.set(link.spanId, link);
      return [];
    }
    const known = this.runs.get(link.spanId);
    // Named by one before which it did not count yet, and by another.
    if (known !== undefined && known.place >= run.place) return [];
    this.runs.set(link.spanId, run);
    return known === undefined ? [...requestsNamedBy(run.recording, link.spanId), ...this.cameBeside(run)] : [];
  }

  /**
   * One that came while another went on, and called nothing before that had ended, is named by it only where it is named by one that the two have beside
   * them: what that one calls may be made with what it asked for.
   */
  private cameBeside({ recording, root }: RunBeside): RunLink[] {
    const link = linkOf(recording, root.spanId, ATTR_REENACT_PROCESS_REQUEST_LATEST);
    if (link === undefined) return [];
    const run = heldAt(this.held, link);
    if (run === undefined) this.perhaps.set(link.spanId, link);
    return run !== undefined && beganBeforeEndOf(run, this.recording, this.spanId) ? [link] : [];
  }
}

/** How a request stands among those that began before it ended, and which of these are held. */
function requestsBegun(
  held: Held,
  recording: Recording,
  spanId: string,
): { readonly runs: readonly RunBeside[]; readonly requests: RequestsBeside | undefined } {
  const before = requestBeforeOf(recording, spanId);
  const latest = linkOf(recording, spanId, ATTR_REENACT_PROCESS_REQUEST_LATEST);
  const { runs, missing, perhaps } = new RequestsFound(held, recording, spanId);
  if (runs.size === 0 && missing.size === 0) return { runs: [], requests: undefined };
  const ahead = before?.place ?? 0;
  const found = [...runs.values()];
  const last = found.reduce((place, run) => Math.max(place, run.place), latest?.place ?? 1);
  const isCounted = ({ place }: { readonly place: number }): boolean => place > 0;
  const byPlace = (links: Iterable<RunLink>): RunLink[] => [...links].sort((left, right) => right.place - left.place);
  return {
    runs: found.map(withPlace),
    requests: {
      place: ahead + 1,
      recorded: Math.max(ahead, last - 1) + [...found, ...missing.values()].filter((one) => !isCounted(one)).length,
      held: found.length,
      missing: byPlace(missing.values()),
      perhaps: byPlace([...perhaps.values()].filter((link) => link.spanId !== spanId && !missing.has(link.spanId))),
      given: requestsGivenBy(recording, spanId),
    },
  };
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
