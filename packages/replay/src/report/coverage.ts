import { subtreeOf } from '@reenact/recordings';
import {
  bearsOnReplay,
  type Crossing,
  type Recording,
  type ReplayReport,
  runsAgain,
  startersOfProcesses,
} from '@reenact/trace-model';
import { hasRedactionKeyOf, redactedInputPointers } from '../equality/redaction-check.ts';
import { listed } from '../listed.ts';
import { missingOutcome } from '../recorded/missing-outcome.ts';
import { GatheredNotes } from './gathered-notes.ts';

/** Why a replay says nothing, or less than everything, about a crossing. The closed list. */
const GAP_CAUSES = {
  unconsumed: 'was recorded, but the replay did not call it',
  unverified: 'has redacted parts, which were compared by presence only',
  'no-input': 'has no recorded input to compare with',
  'no-outcome': 'has no recorded outcome to serve',
  lossy: 'holds values that could not be recorded exactly',
  pending: 'had not ended when its process stopped',
  'read-on': 'was still read when its run ended, and gives what had come by then',
  live: 'ran for real, so its recorded outcome was not served',
} as const;

/** One cause out of the closed list. */
export type GapCause = keyof typeof GAP_CAUSES;

/** One thing a replay did not cover. */
export interface CoverageGap {
  readonly cause: GapCause;
  readonly path: string;
  readonly spanId: string;
  readonly detail?: string;
}

/** How much of a recording a replay covered: what `reenact check` tells before the incident. */
export interface Coverage {
  /** Crossings recorded below the run's root; with the root where that is one call, which a replay answers like others. */
  readonly recorded: number;
  /** Of these, served or re-run with nothing to say against them, or inside one that was. */
  readonly covered: number;
  readonly gaps: readonly CoverageGap[];
}

/** Span ids of crossings, by what is known of them beside the crossing itself. */
interface Known {
  readonly unconsumed: ReadonlySet<string>;
  readonly starters: ReadonlySet<string>;
}

function gapsOf(crossing: Crossing, report: ReplayReport, { unconsumed, starters }: Known): CoverageGap[] {
  const { path, spanId } = crossing;
  const gap = (cause: GapCause, detail?: string): CoverageGap => ({
    cause,
    path,
    spanId,
    ...(detail === undefined ? {} : { detail }),
  });
  const gaps: CoverageGap[] = [];
  const met = report.crossings.find(({ recordedSpanId }) => recordedSpanId === spanId);
  if (unconsumed.has(spanId)) gaps.push(gap('unconsumed'));
  if (met?.answer === 'live') gaps.push(gap('live'));
  if (crossing.outcome.type === 'pending') gaps.push(gap(crossing.outlivesRun === undefined ? 'pending' : 'read-on'));
  const hasInput = crossing.input?.data !== undefined || crossing.key !== undefined;
  if (!hasInput) gaps.push(gap('no-input'));
  const missing = runsAgain(crossing) ? undefined : missingOutcome(crossing);
  if (missing !== undefined) gaps.push(gap('no-outcome', missing));
  const lossy = crossing.lossy.filter((mark) => bearsOnReplay(mark, crossing, starters.has(spanId)));
  if (lossy.length > 0) gaps.push(gap('lossy', listed(lossy)));
  if (redactedInputPointers(crossing).length > 0 && !hasRedactionKeyOf(crossing))
    gaps.push(gap('unverified', listed(crossing.redacted)));
  return gaps;
}

/** Crossings that the replay met, or that lie inside one that it served whole. */
function isAccountedFor(crossing: Crossing, recording: Recording, met: ReadonlySet<string>): boolean {
  let current: Crossing | undefined = crossing;
  while (current !== undefined) {
    if (met.has(current.spanId)) return true;
    current = current.parentSpanId === undefined ? undefined : recording.bySpanId.get(current.parentSpanId);
  }
  return false;
}

/** Whether the root was answered like other calls: a bare call of a model, which nothing encloses. Else its code ran again. */
function isRootAnswered({ crossings, rootSpanId }: ReplayReport): boolean {
  const root = crossings.find(({ recordedSpanId }) => recordedSpanId === rootSpanId);
  return root !== undefined && root.answer !== 'rerun';
}

/** Says what a replay of this recording did not cover. */
export function coverageOf(report: ReplayReport, recording: Recording): Coverage {
  const withRoot = isRootAnswered(report);
  const asked = subtreeOf(recording, report.rootSpanId).filter(
    ({ spanId }) => withRoot || spanId !== report.rootSpanId,
  );
  const unconsumed = new Set(
    report.divergences.flatMap(({ kind, candidate }) =>
      kind === 'unconsumed' && candidate !== undefined ? [candidate.spanId] : [],
    ),
  );
  const known = { unconsumed, starters: startersOfProcesses(recording.crossings) };
  const met = new Set(report.crossings.flatMap(({ recordedSpanId }) => recordedSpanId ?? []));
  if (!withRoot) met.delete(report.rootSpanId);
  const gaps = asked.flatMap((crossing) => gapsOf(crossing, report, known));
  const withGaps = new Set(gaps.map(({ spanId }) => spanId));
  const covered = asked.filter(
    (crossing) => !withGaps.has(crossing.spanId) && isAccountedFor(crossing, recording, met),
  ).length;
  return { recorded: asked.length, covered, gaps };
}

/** The coverage for people: one line of summary, then one line per gap; equal gaps of several crossings are one line. */
export function renderCoverage({ recorded, covered, gaps }: Coverage): string {
  const summary = `${covered} of ${recorded} recorded crossings are covered by this replay.`;
  const notes = new GatheredNotes();
  for (const { cause, path, detail } of gaps) {
    const more = detail === undefined ? '' : ` (${detail})`;
    notes.add(`${path} ${GAP_CAUSES[cause]}${more}.`, path);
  }
  return `${[summary, ...notes.lines().map((line) => `  ${line}`)].join('\n')}\n`;
}
