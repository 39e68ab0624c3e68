import { type PlanOptions, planForRun } from '@reenact/replay';
import { ATTR_SESSION_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_REPLAY_ID } from '@reenact/semconv/reenact';
import { type Crossing, crossingLabel, type Recording, ReenactError, toReenactError } from '@reenact/trace-model';
import { RUNS_PER_PAGE_MAX, type RunQuery, type RunSummary } from '@reenact/trace-model/collector-api';
import { SESSION_ASKS_MAX, SESSION_RUNS_MAX } from '../limits.ts';
import { openCollector } from '../reading/open-collector.ts';
import { collectorUrl, readRecording } from '../reading/recording-source.ts';
import type { SessionRun } from '../replaying/session-report.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { planOf } from './plan-flags.ts';
import type { ReplayOptions } from './replay-options.ts';
import { NOTHING_ASKED, type PlannedRun, type ReplayOne, replayRuns } from './replay-runs.ts';

function needFew(runs: readonly RunSummary[], session: string): void {
  if (runs.length <= SESSION_RUNS_MAX) return;
  throw new ReenactError('bad-argument', `This conversation has more than ${SESSION_RUNS_MAX} runs.`, {
    where: `--session ${session}`,
    next: 'Replay single runs: `reenact runs --session <id>` lists them.',
  });
}

/**
 * A conversation is replayed whole or not at all: each page ends before the first run that still waits for its summary, and is read on from there.
 * Runs of others that wait behind the last one of it hold nothing up.
 */
async function runsOf(session: string, url: string): Promise<RunSummary[]> {
  const client = openCollector(url);
  const found: RunSummary[] = [];
  let walked: Pick<RunQuery, 'cursor'> = {};
  for (let emptyPages = 0; emptyPages < SESSION_ASKS_MAX; ) {
    const page = await client.listRuns({ session, complete: true, limit: RUNS_PER_PAGE_MAX, ...walked });
    found.push(...page.runs);
    needFew(found, session);
    if (page.nextCursor === undefined) return found.reverse();
    walked = { cursor: page.nextCursor };
    emptyPages = page.runs.length === 0 ? emptyPages + 1 : 0;
  }
  throw new ReenactError('store-busy', 'The collector still summarises runs, and some may be of this conversation.', {
    where: url,
    next: 'Run the command again in a while.',
    retryable: true,
  });
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

function isWithoutCrossings({ crossings }: Recording): boolean {
  return crossings.length === 0;
}

/** The recording of a run, or why it cannot be read. */
async function recordingOf({ traceId }: RunSummary, url: string): Promise<Recording | ReenactError> {
  try {
    return (await readRecording(traceId, url)).recording;
  } catch (thrown) {
    return toReenactError(thrown);
  }
}

/** Reads every run before the first agent is started. */
async function planRuns(session: string, plan: PlanOptions, url: string): Promise<PlannedRun[]> {
  const planned: PlannedRun[] = [];
  for (const run of await runsOf(session, url)) {
    const recording = await recordingOf(run, url);
    if (recording instanceof ReenactError) {
      planned.push({ run, asked: NOTHING_ASKED, error: recording });
      continue;
    }
    // Without a crossing there is nothing to replay; the replay itself says best what is missing.
    const runs = isWithoutCrossings(recording) ? [run] : rootsIn(recording, session).map(runAt);
    for (const found of runs) {
      planned.push({ run: found, asked: planForRun(plan, recording, found.rootSpanId), error: undefined });
    }
  }
  if (planned.length > 0) return planned;
  throw new ReenactError('not-found', `The collector has no run of session "${session}".`, {
    where: url,
    next: 'Give the session or conversation id the runs were recorded with; `reenact runs` lists all runs.',
  });
}

/**
 * Replays the runs of one conversation in the order in which they started, each with the same command or function. Gives the
 * worst exit code. Throws ReenactError `not-found` where the conversation has no run, `bad-plan` where a selector names
 * nothing in any run.
 */
export async function replaySession(
  session: string,
  options: ReplayOptions,
  terminal: Terminal,
  replayOne: ReplayOne,
): Promise<number> {
  const planned = await planRuns(session, planOf(options).options, collectorUrl(options.collector));
  return replayRuns({ title: `Session ${session}`, planned, options, terminal, replayOne });
}
