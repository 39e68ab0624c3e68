import {
  type Crossing,
  canonicalPolicy,
  MISSING_CAUSES,
  type MissingCause,
  type Recording,
  ReenactError,
} from '@reenact/trace-model';
import { NAMES_LISTED_MAX } from '../limits.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { missingOutcome } from '../recorded/missing-outcome.ts';
import { subtreeOf } from '../recorded/subtree.ts';
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

function listed(lines: readonly string[]): string {
  const more = lines.length - NAMES_LISTED_MAX;
  return [...lines.slice(0, NAMES_LISTED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ');
}

function coldCase(lacks: readonly Lack[]): ReenactError {
  const lines = lacks.map(({ crossing, cause }) => `${crossing.path}: ${cause}`);
  const remedies = [...new Set(lacks.map(({ cause }) => MISSING_CAUSES[cause]))];
  return new ReenactError('cold-case', `This recording lacks what a replay needs:\n  ${listed(lines)}`, {
    next: remedies.join('\n'),
  });
}

function foreign(recording: Recording): ReenactError {
  if (recording.crossings.some(({ reconstructed }) => reconstructed === true)) {
    return new ReenactError(
      'cold-case',
      'Another instrumentation recorded this trace, so no client library can read its answers inside the process.',
      {
        where: recording.traceId,
        next: `Serve its model calls to the agent instead: reenact serve ${recording.traceId} -- <the command that starts your agent>`,
      },
    );
  }
  const { missing } = recording.replayability;
  const lines = missing.flatMap(({ cause, where }) => (where === undefined ? [] : [`${where}: ${cause}`]));
  const lacking = lines.length === 0 ? '.' : `, and it lacks:\n  ${listed(lines)}`;
  // Which setting would have recorded it; for the whole trace what Reenact would have kept.
  const settings = missing.flatMap(({ where, detail }) =>
    where === undefined || detail === undefined ? [] : [detail],
  );
  return new ReenactError(
    'cold-case',
    `No span of this trace (of ${recording.spans.size}) was recorded by Reenact, so there is nothing to serve${lacking}`,
    { where: recording.traceId, next: [...new Set([MISSING_CAUSES['no-crossings'], ...settings])].join('\n') },
  );
}

/** Crossings whose payloads a later version wrote: what stands in them may mean something else by now. */
function ofLaterVersions({ replayability }: Recording): ReadonlySet<string> {
  const later = replayability.missing.filter(({ cause }) => cause === 'unknown-version');
  return new Set(later.flatMap(({ spanId }) => spanId ?? []));
}

function damagedRecording(crossings: readonly Crossing[]): ReenactError {
  const lines = crossings.map(({ path, damage }) => `${path}: ${damage.join('; ')}`);
  return new ReenactError('recording-damaged', `This recording is damaged:\n  ${listed(lines)}`, {
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
  if (!recording.crossings.some(({ dialect }) => dialect === 'reenact')) throw foreign(recording);
  if (!recording.bySpanId.has(rootSpanId)) {
    throw new ReenactError('not-found', `The recording holds no crossing with span id ${rootSpanId}.`, {
      where: rootSpanId,
      next: 'Look at `reenact show <id>` for the span ids it holds.',
    });
  }
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
