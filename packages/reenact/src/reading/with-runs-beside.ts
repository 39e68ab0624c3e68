import { assembleRecording, markedBeside } from '@reenact/dialects';
import type { TracesData } from '@reenact/otlp';
import {
  describeError,
  type Recording,
  ReenactError,
  type RunLink,
  type RunsBeside,
  toReenactError,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { REQUESTS_BEFORE_MAX, RUNS_BESIDE_MAX } from '../limits.ts';
import { openCollector } from './open-collector.ts';

/** A recording with the other runs of its process that could be had, and why the next one could not. */
export interface WithRunsBeside {
  readonly recording: Recording;
  readonly beside: RunsBeside;
  /** Why `beside.missing`, or else a request that was wanted, could not be had, a sentence; empty where it was not looked for. */
  readonly reason: string;
  /** That run, or request. */
  readonly lacking: RunLink | undefined;
}

/** Which runs are fetched, and from where. */
export interface BesideWanted {
  /** The collector; undefined: nobody is asked, there is only what the recording holds. */
  readonly url: string | undefined;
  /** How many requests that came before one it is replayed after, with those beside it; those that the recording holds always. */
  readonly requestsBefore: number;
}

interface FetchedRun {
  readonly run: Recording;
  readonly spans: TracesData['resourceSpans'];
}

/** A sentence where it cannot be had. */
async function fetchRun({ traceId, spanId }: RunLink, url: string): Promise<FetchedRun | string> {
  try {
    const data = await openCollector(url).getRecording(traceId);
    const run = assembleRecording(data);
    if (!run.bySpanId.has(spanId)) return `Its trace holds no span ${spanId}.`;
    return { run, spans: markedBeside(data).resourceSpans };
  } catch (thrown) {
    return describeError(toReenactError(thrown, 'collector-refused'));
  }
}

/** A run that could not be had, and why. */
interface LackingRun {
  readonly run: RunLink;
  readonly reason: string;
}

/** The run that is to be fetched next; undefined where all are there that can be had. */
function wantedNext(
  { missing, requests }: RunsBeside,
  wanted: number,
  lacking: readonly LackingRun[],
): RunLink | undefined {
  const isLacking = ({ spanId }: RunLink): boolean => lacking.some(({ run }) => run.spanId === spanId);
  if (missing !== undefined && !isLacking(missing)) return missing;
  if (wanted === 0 || requests === undefined) return undefined;
  // Those beside it are always among them, and so are those without whose answers it has no cookie to send.
  const isGiver = ({ spanId }: RunLink): boolean => requests.given.some((link) => link.spanId === spanId);
  const isWanted = (link: RunLink): boolean => link.place >= requests.place - wanted || isGiver(link);
  // What only came last beside one of these may be beside this one, too: that is seen once it is there.
  return [...requests.missing, ...requests.perhaps].find((link) => isWanted(link) && !isLacking(link));
}

/** A sentence where there are too many. */
function tooMany(wanted: RunLink, { missing }: RunsBeside, held: number): string | undefined {
  // As many as its place says come before it: of a process that has gone on for days none is fetched.
  if (wanted === missing && (missing.place > RUNS_BESIDE_MAX || held >= RUNS_BESIDE_MAX))
    return `Not more than ${RUNS_BESIDE_MAX} runs of a process are taken.`;
  return held < REQUESTS_BEFORE_MAX ? undefined : `Not more than ${REQUESTS_BEFORE_MAX} requests are taken.`;
}

/** A recording with what was fetched of the runs that are beside it. */
function withThoseBeside(recording: Recording, fetched: readonly FetchedRun[], { runs }: RunsBeside): Recording {
  const traces = new Set(runs.map((run) => run.recording.traceId));
  const added = fetched.filter(({ run }) => traces.has(run.traceId));
  const resourceSpans = [...recording.data.resourceSpans, ...added.flatMap(({ spans }) => spans)];
  return {
    ...recording,
    runsBeside: [...recording.runsBeside, ...added.map(({ run }) => run)],
    data: { resourceSpans },
  };
}

/**
 * Fetches from the collector the other runs of the process of one run, as far as a replay by its command needs them: those that began
 * before it ended, and of the requests before one and beside it those that were wanted. Throws nothing: what is missing is said.
 */
export async function withRunsBeside(
  recording: Recording,
  rootSpanId: string,
  { url, requestsBefore }: BesideWanted,
): Promise<WithRunsBeside> {
  const fetchedRuns: FetchedRun[] = [];
  const lacking: LackingRun[] = [];
  for (;;) {
    const held = [...recording.runsBeside, ...fetchedRuns.map(({ run }) => run)];
    const beside = runsBesideOf({ ...recording, runsBeside: held }, rootSpanId);
    const wanted = url === undefined ? undefined : wantedNext(beside, requestsBefore, lacking);
    if (wanted === undefined || url === undefined) {
      const whole = withThoseBeside(recording, fetchedRuns, beside);
      // What keeps a command from it counts most, and what is perhaps none of them nothing.
      const isNamed = ({ run }: LackingRun): boolean =>
        !beside.requests?.perhaps.some((link) => link.spanId === run.spanId);
      const told = lacking.find(({ run }) => run.spanId === beside.missing?.spanId) ?? lacking.find(isNamed);
      return { recording: whole, beside, reason: told?.reason ?? '', lacking: told?.run };
    }
    const fetched = tooMany(wanted, beside, held.length) ?? (await fetchRun(wanted, url));
    if (typeof fetched === 'string') {
      lacking.push({ run: wanted, reason: fetched });
      continue;
    }
    fetchedRuns.push(fetched);
  }
}

/**
 * Refuses a replay by command of a run that not all runs before it and beside it are there for: the command makes them again, and
 * nothing could answer them. Throws ReenactError `cold-case`.
 */
export function requireRunsBeside({ beside: { place, missing }, reason }: WithRunsBeside, rootSpanId: string): void {
  if (missing === undefined) return;
  const own =
    place === 0 ? 'This run is of a process that went through several' : `This is run ${place} of its process`;
  throw new ReenactError(
    'cold-case',
    `${own}, and run ${missing.place} (trace ${missing.traceId}), which the command makes, too, cannot be answered. ${reason}`.trim(),
    {
      where: missing.traceId,
      next: `Re-run this one alone, by its function: \`reenact replay ${rootSpanId} --entry <file>#<function>\`. Or have a collector that holds both.`,
    },
  );
}
