import type { PlanForRun, PlanOptions } from '@reenact/replay';
import { ReenactError, type ReplayReport, toReenactError } from '@reenact/trace-model';
import {
  printSessionMarkdown,
  printSessionText,
  type SessionRun,
  type SessionRunResult,
  sessionExitCode,
  sessionResultJson,
} from '../replaying/session-report.ts';
import { paint, type Terminal } from '../terminal/terminal.ts';
import type { ReplayOptions } from './replay-options.ts';

/** Runs one replay by this plan and gives its report. */
export type ReplayOne = (idOrFile: string, asked: PlanOptions) => Promise<ReplayReport>;

/** Nothing that is asked for was left out, for want of a recording to look in. */
export const NOTHING_ASKED: PlanForRun = { options: {}, leftOut: [] };

/** Refuses what names nothing in any run, before the first agent is started. Runs that cannot be replayed do not say. */
function refuseUseless(planned: readonly PlannedRun[]): void {
  const [first, ...others] = planned.filter(({ error }) => error === undefined);
  const useless = first?.asked.leftOut.find((text) => others.every(({ asked }) => asked.leftOut.includes(text)));
  if (useless === undefined) return;
  throw new ReenactError('bad-plan', 'This names no crossing in any of these runs.', {
    where: useless,
    next: 'Look at `reenact show <id>` for the crossings of a run.',
  });
}

/** One run, ready to be replayed, or with what keeps it from it. */
export interface PlannedRun {
  readonly run: SessionRun;
  /** What of the plan means something in it. */
  readonly asked: PlanForRun;
  readonly error: ReenactError | undefined;
}

async function replayRun({ run, asked, error }: PlannedRun, replayOne: ReplayOne): Promise<SessionRunResult> {
  if (error !== undefined) return { run, report: undefined, error };
  try {
    return {
      run,
      report: await replayOne(run.source ?? run.rootSpanId, asked.options),
      error: undefined,
    };
  } catch (thrown) {
    return { run, report: undefined, error: toReenactError(thrown) };
  }
}

/** Several runs, and how they are replayed. */
export interface RunsToReplay {
  /** What they have in common, in front of the summary. */
  readonly title: string;
  readonly planned: readonly PlannedRun[];
  readonly options: ReplayOptions;
  readonly terminal: Terminal;
  readonly replayOne: ReplayOne;
}

function headingOf({ run: { name, source, startedAt }, asked: { leftOut } }: PlannedRun, place: string): string {
  const what = [source, name].filter((text) => text !== undefined && text !== '').join(' ');
  const began = startedAt === '' ? '' : `, started ${startedAt}`;
  return [`▶ run ${place}: ${what}${began}`, ...leftOut.map((text) => `  names nothing in this run: ${text}`)].join(
    '\n',
  );
}

/**
 * Replays runs one after the other, prints one report over all, and gives the worst exit code. A run that cannot be replayed
 * counts as 2 and does not keep the others from it. Throws ReenactError `bad-plan` where a selector names nothing in any run.
 */
export async function replayRuns({ title, planned, options, terminal, replayOne }: RunsToReplay): Promise<number> {
  refuseUseless(planned);
  const isForPrograms = options.json === true || options.markdown === true;
  const results: SessionRunResult[] = [];
  for (const [index, item] of planned.entries()) {
    const heading = headingOf(item, `${index + 1} of ${planned.length}`);
    (isForPrograms ? terminal.err : terminal.out)(paint(terminal, 'quiet', heading));
    results.push(await replayRun(item, replayOne));
  }
  if (options.json === true) terminal.out(JSON.stringify(results.map(sessionResultJson), null, 2));
  else if (options.markdown === true) printSessionMarkdown(title, results, terminal);
  else printSessionText(title, results, terminal);
  return Math.max(...results.map(sessionExitCode));
}
