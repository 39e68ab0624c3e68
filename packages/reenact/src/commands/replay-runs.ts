import {
  parseSelector,
  type Recording,
  ReenactError,
  type ReplayReport,
  selectorMatches,
  toReenactError,
} from '@reenact/trace-model';
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
export type ReplayOne = (idOrFile: string, options: ReplayOptions) => Promise<ReplayReport>;

const selectorFlags = ['live', 'stub', 'forbid'] as const;

/** Selectors for several runs name crossings of some of them; each run is given those that mean something there. */
export type Selectors = Readonly<Record<(typeof selectorFlags)[number], string[]>>;

/** Those of a run that cannot be replayed. */
export const NO_SELECTORS: Selectors = { live: [], stub: [], forbid: [] };

/** Refuses a selector that cannot be read as such, and not as one that names nothing. Throws ReenactError `bad-plan`. */
export function readSelectors(options: ReplayOptions): void {
  for (const flag of selectorFlags) options[flag].forEach(parseSelector);
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

/** The selectors that name something in a recording. */
export function selectorsFor(options: ReplayOptions, recording: Recording): Selectors {
  const of = (flag: (typeof selectorFlags)[number]): string[] =>
    options[flag].filter((selector) => matchesIn(selector, recording));
  return { live: of('live'), stub: of('stub'), forbid: of('forbid') };
}

/** Refuses a selector that names nothing in any run, before the first agent is started. */
function refuseUseless(options: ReplayOptions, used: readonly Selectors[]): void {
  for (const flag of selectorFlags) {
    const useless = options[flag].find((selector) => !used.some((selectors) => selectors[flag].includes(selector)));
    if (useless === undefined) continue;
    throw new ReenactError('bad-plan', `"${useless}" names no crossing in any of these runs.`, {
      where: `--${flag} ${useless}`,
      next: 'Look at `reenact show <id>` for the crossings of a run.',
    });
  }
}

/** One run, ready to be replayed, or with what keeps it from it. */
export interface PlannedRun {
  readonly run: SessionRun;
  readonly selectors: Selectors;
  readonly error: ReenactError | undefined;
}

async function replayRun(
  { run, selectors, error }: PlannedRun,
  options: ReplayOptions,
  replayOne: ReplayOne,
): Promise<SessionRunResult> {
  if (error !== undefined) return { run, report: undefined, error };
  try {
    return {
      run,
      report: await replayOne(run.source ?? run.rootSpanId, { ...options, ...selectors }),
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

function headingOf({ name, source, startedAt }: SessionRun, place: string): string {
  const what = [source, name].filter((text) => text !== undefined && text !== '').join(' ');
  return `▶ run ${place}: ${what}${startedAt === '' ? '' : `, started ${startedAt}`}`;
}

/**
 * Replays runs one after the other, prints one report over all, and gives the worst exit code. A run that cannot be replayed
 * counts as 2 and does not keep the others from it. Throws ReenactError `bad-plan` where a selector names nothing in any run.
 */
export async function replayRuns({ title, planned, options, terminal, replayOne }: RunsToReplay): Promise<number> {
  refuseUseless(
    options,
    planned.map(({ selectors }) => selectors),
  );
  const isForPrograms = options.json === true || options.markdown === true;
  const results: SessionRunResult[] = [];
  for (const [index, item] of planned.entries()) {
    const heading = headingOf(item.run, `${index + 1} of ${planned.length}`);
    (isForPrograms ? terminal.err : terminal.out)(paint(terminal, 'quiet', heading));
    results.push(await replayRun(item, options, replayOne));
  }
  if (options.json === true) terminal.out(JSON.stringify(results.map(sessionResultJson), null, 2));
  else if (options.markdown === true) printSessionMarkdown(title, results, terminal);
  else printSessionText(title, results, terminal);
  return Math.max(...results.map(sessionExitCode));
}
