import { createCollectorClient } from '@reenact/collector-client';
import { ATTR_SESSION_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_REPLAY_ID } from '@reenact/semconv/reenact';
import {
  type Crossing,
  crossingLabel,
  parseSelector,
  type Recording,
  ReenactError,
  type ReplayReport,
  selectorMatches,
  toReenactError,
} from '@reenact/trace-model';
import { RUNS_PER_PAGE_MAX, type RunSummary } from '@reenact/trace-model/collector-api';
import { SESSION_RUNS_MAX } from '../limits.ts';
import { collectorUrl, readRecording } from '../recording-source.ts';
import {
  printSessionMarkdown,
  printSessionText,
  type SessionRun,
  type SessionRunResult,
  sessionExitCode,
  sessionResultJson,
} from '../session-report.ts';
import { paint, type Terminal } from '../terminal.ts';
import type { ReplayOptions } from './replay.ts';

/** Runs one replay and gives its report. */
export type ReplayOne = (rootSpanId: string, options: ReplayOptions) => Promise<ReplayReport>;

const selectorFlags = ['live', 'stub', 'forbid'] as const;

/** Selectors of a conversation name crossings of some of its runs; each run is given those that mean something there. */
type Selectors = Readonly<Record<(typeof selectorFlags)[number], string[]>>;

async function runsOf(session: string, url: string): Promise<RunSummary[]> {
  const client = createCollectorClient({ url });
  const found: RunSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listRuns({
      session,
      limit: RUNS_PER_PAGE_MAX,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length <= SESSION_RUNS_MAX);
  if (found.length > SESSION_RUNS_MAX) {
    throw new ReenactError('bad-argument', `This conversation has more than ${SESSION_RUNS_MAX} runs.`, {
      where: `--session ${session}`,
      next: 'Replay single runs: `reenact runs --session <id>` lists them.',
    });
  }
  return found.reverse();
}

function carriesSession({ attributes }: Crossing, session: string): boolean {
  return attributes.get(ATTR_SESSION_ID) === session || attributes.get(ATTR_GEN_AI_CONVERSATION_ID) === session;
}

function topOf(crossing: Crossing, { bySpanId, roots }: Recording): Crossing {
  let top = crossing;
  const isRoot = new Set(roots);
  for (let steps = bySpanId.size; steps > 0 && !isRoot.has(top); steps -= 1) {
    top = bySpanId.get(top.parentSpanId ?? '') ?? top;
  }
  return top;
}

/**
 * The runs of a trace that belong to the conversation, by their root crossings: all of them where only a span that is no
 * crossing says so. A replay is a trace too, and is none of them even where it carries the id.
 */
function rootsIn(recording: Recording, session: string): Crossing[] {
  const recorded = recording.roots.filter(({ attributes }) => !attributes.has(ATTR_REENACT_REPLAY_ID));
  const saying = recording.crossings.filter((crossing) => carriesSession(crossing, session));
  const named = new Set(saying.map((crossing) => topOf(crossing, recording)));
  const belonging = recorded.filter((root) => named.has(root));
  return named.size > 0 ? belonging : recorded;
}

function runAt(root: Crossing): SessionRun {
  return {
    traceId: root.traceId,
    rootSpanId: root.spanId,
    name: crossingLabel(root),
    startedAt: new Date(Number(root.startTimeUnixNano / 1_000_000n)).toISOString(),
  };
}

function matchesIn(selector: string, { crossings }: Recording): boolean {
  const parsed = parseSelector(selector);
  const counts = new Map<string, number>();
  return crossings.some(({ kind, name, spanId, path }) => {
    const occurrence = (counts.get(`${kind}:${name}`) ?? 0) + 1;
    counts.set(`${kind}:${name}`, occurrence);
    return selectorMatches(parsed, { kind, name, spanId, path, occurrence });
  });
}

function selectorsFor(options: ReplayOptions, recording: Recording): Selectors {
  const of = (flag: (typeof selectorFlags)[number]): string[] =>
    options[flag].filter((selector) => matchesIn(selector, recording));
  return { live: of('live'), stub: of('stub'), forbid: of('forbid') };
}

/** Refuses a selector that names nothing in any run, before the first agent is started. */
function refuseUseless(options: ReplayOptions, used: readonly Selectors[]): void {
  for (const flag of selectorFlags) {
    const useless = options[flag].find((selector) => !used.some((selectors) => selectors[flag].includes(selector)));
    if (useless === undefined) continue;
    throw new ReenactError('bad-plan', `"${useless}" names no crossing in any run of this conversation.`, {
      where: `--${flag} ${useless}`,
      next: 'Look at `reenact show <id>` for the crossings of a run.',
    });
  }
}

/** One run of the conversation, ready to be replayed, or with what keeps it from it. */
interface PlannedRun {
  readonly run: SessionRun;
  readonly selectors: Selectors;
  readonly error: ReenactError | undefined;
}

function isWithoutCrossings({ crossings }: Recording): boolean {
  return crossings.length === 0;
}

/** Reads every run before the first agent is started. */
async function planRuns(session: string, options: ReplayOptions, url: string): Promise<PlannedRun[]> {
  const planned: PlannedRun[] = [];
  for (const run of await runsOf(session, url)) {
    try {
      const { recording } = await readRecording(run.traceId, url);
      const selectors = selectorsFor(options, recording);
      // Without a crossing there is nothing to replay; the replay itself says best what is missing.
      const runs = isWithoutCrossings(recording) ? [run] : rootsIn(recording, session).map(runAt);
      for (const found of runs) planned.push({ run: found, selectors, error: undefined });
    } catch (thrown) {
      planned.push({ run, selectors: { live: [], stub: [], forbid: [] }, error: toReenactError(thrown) });
    }
  }
  if (planned.length > 0) return planned;
  throw new ReenactError('not-found', `The collector has no run of session "${session}".`, {
    where: url,
    next: 'Give the session or conversation id the runs were recorded with; `reenact runs` lists all runs.',
  });
}

async function replayRun(
  { run, selectors, error }: PlannedRun,
  options: ReplayOptions,
  replayOne: ReplayOne,
): Promise<SessionRunResult> {
  if (error !== undefined) return { run, report: undefined, error };
  try {
    return { run, report: await replayOne(run.rootSpanId, { ...options, ...selectors }), error: undefined };
  } catch (thrown) {
    return { run, report: undefined, error: toReenactError(thrown) };
  }
}

/**
 * Replays the runs of one conversation in the order in which they started, each with the same command, prints one report
 * over all, and gives the worst exit code. A run that cannot be replayed counts as 2 and does not keep the others from it.
 * Throws ReenactError `not-found` where the conversation has no run, `bad-plan` where a selector names nothing in any run.
 */
export async function replaySession(
  session: string,
  options: ReplayOptions,
  terminal: Terminal,
  replayOne: ReplayOne,
): Promise<number> {
  // A selector that cannot be read is refused as such, and not as one that names nothing.
  for (const flag of selectorFlags) options[flag].forEach(parseSelector);
  const planned = await planRuns(session, options, collectorUrl(options.collector));
  refuseUseless(
    options,
    planned.map(({ selectors }) => selectors),
  );
  const isForPrograms = options.json === true || options.markdown === true;
  const results: SessionRunResult[] = [];
  for (const [index, item] of planned.entries()) {
    const heading = `▶ run ${index + 1} of ${planned.length}: ${item.run.name}, started ${item.run.startedAt}`;
    (isForPrograms ? terminal.err : terminal.out)(paint(terminal, 'quiet', heading));
    results.push(await replayRun(item, options, replayOne));
  }
  if (options.json === true) terminal.out(JSON.stringify(results.map(sessionResultJson), null, 2));
  else if (options.markdown === true) printSessionMarkdown(session, results, terminal);
  else printSessionText(session, results, terminal);
  return Math.max(...results.map(sessionExitCode));
}
