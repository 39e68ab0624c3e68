import { subtreeOf } from '@reenact/recordings';
import {
  type Crossing,
  canonicalPolicy,
  MISSING_CAUSES,
  type MissingCause,
  type Recording,
  ReenactError,
} from '@reenact/trace-model';
import { listedLines } from '../listed-lines.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { missingOutcome } from '../recorded/missing-outcome.ts';
import { foreign, isRecorded, missingRoot } from '../recorded/missing-root.ts';
import { resolvePlan } from '../resolution/resolved-plan.ts';

interface Lack {
  readonly crossing: Crossing;
  readonly cause: MissingCause;
}

/** Crossings the replay will meet, and whether each is served: what lies inside a served one is never looked at. */
function reachable(
  recording: Recording,
  rootSpanId: string,
  plan: Plan,
  servesRoot: boolean,
): { readonly crossing: Crossing; readonly isServed: boolean }[] {
  const resolved = resolvePlan(plan, recording, rootSpanId);
  const running = new Set<string>();
  return subtreeOf(recording, rootSpanId).flatMap((crossing) => {
    const isRoot = crossing.spanId === rootSpanId;
    if (!isRoot && !running.has(crossing.parentSpanId ?? '')) return [];
    const treatment = isRoot && !servesRoot ? 'rerun' : resolved.treatmentOf(crossing);
    if (treatment === 'live' || treatment === 'rerun') running.add(crossing.spanId);
    // What the plan puts in the place of an outcome need not have been recorded.
    const served = resolved.changeOf(crossing)?.served ?? crossing;
    return treatment === 'forbid' ? [] : [{ crossing: served, isServed: treatment === 'stub' }];
  });
}

function lackOf(crossing: Crossing): MissingCause | undefined {
  const canCompare =
    canonicalPolicy(crossing.canonicalPolicy) !== undefined &&
    (crossing.input?.data !== undefined || crossing.key !== undefined);
  if (canonicalPolicy(crossing.canonicalPolicy) === undefined) return 'unknown-version';
  if (!canCompare) return 'no-input';
  if (crossing.reconstructed === true) return 'reconstructed';
  if (missingOutcome(crossing) === undefined) return undefined;
  return crossing.call === 'exchange' ? 'no-exchange' : 'no-outcome';
}

/** Calls named in a piece of advice. */
const ADVISED_MAX = 3;

/** What a replay can do without an outcome that was not recorded; undefined where that is not all that is missing. */
function insteadOf(lacks: readonly Lack[]): string | undefined {
  if (lacks.some(({ cause }) => cause !== 'no-outcome' && cause !== 'no-exchange')) return undefined;
  const flags = lacks.slice(0, ADVISED_MAX).map(({ crossing }) => `--live '${crossing.path}'`);
  const others = lacks.length > ADVISED_MAX ? ', and so on' : '';
  return `To replay it all the same, let them run for real where that does no harm (${flags.join(' ')}${others}), or say what they answered with --edit.`;
}

function coldCase(lacks: readonly Lack[]): ReenactError {
  const lines = lacks.map(({ crossing, cause }) => `${crossing.path}: ${cause}`);
  const instead = insteadOf(lacks);
  const known = [...new Set(lacks.map(({ cause }) => MISSING_CAUSES[cause]))];
  const remedies = [...known, ...(instead === undefined ? [] : [instead])];
  return new ReenactError('cold-case', `This recording lacks what a replay needs:\n  ${listedLines(lines)}`, {
    next: remedies.join('\n'),
  });
}

/** Crossings whose payloads a later version wrote: what stands in them may mean something else by now. */
function ofLaterVersions({ replayability }: Recording): ReadonlySet<string> {
  const later = replayability.missing.filter(({ cause }) => cause === 'unknown-version');
  return new Set(later.flatMap(({ spanId }) => spanId ?? []));
}

function damagedRecording(crossings: readonly Crossing[]): ReenactError {
  const lines = crossings.map(({ path, damage }) => `${path}: ${damage.join('; ')}`);
  return new ReenactError('recording-damaged', `This recording is damaged:\n  ${listedLines(lines)}`, {
    where: crossings[0]?.path ?? '',
    next: 'Get it again from where it was recorded with `reenact export <id> --out <file>`.',
  });
}

/**
 * Checks before anything runs that a replay of this run by this plan can answer every crossing it will meet. Throws
 * ReenactError: `not-found`, `cold-case` (what is missing, and which setting would have recorded it), or
 * `recording-damaged`. `servesRoot`: the root is answered from its recording, too.
 */
export function checkReplayable(recording: Recording, rootSpanId: string, plan: Plan, servesRoot = false): void {
  if (!isRecorded(recording)) throw foreign(recording);
  if (!recording.bySpanId.has(rootSpanId)) throw missingRoot(recording, rootSpanId);
  const met = reachable(recording, rootSpanId, plan, servesRoot);
  const damaged = met.filter(({ crossing }) => crossing.damage.length > 0).map(({ crossing }) => crossing);
  if (damaged.length > 0) throw damagedRecording(damaged);
  const later = ofLaterVersions(recording);
  const lacks = met.flatMap(({ crossing, isServed }): Lack[] => {
    const known = isServed ? lackOf(crossing) : undefined;
    const cause = later.has(crossing.spanId) ? 'unknown-version' : known;
    return cause === undefined ? [] : [{ crossing, cause }];
  });
  if (lacks.length > 0) throw coldCase(lacks);
}
