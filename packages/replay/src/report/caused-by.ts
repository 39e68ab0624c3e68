import { type CausedBy, type DivergenceKind, isPrecondition } from '@reenact/trace-model';

/** One divergence or edit with what is needed to say what caused what. Instants are positions in the merged list of events. */
export interface Finding {
  readonly id: string;
  /** `edit`: the plan changed it on purpose, so nothing caused it. */
  readonly kind: DivergenceKind | 'edit';
  readonly path: string;
  /** When the call it belongs to started; undefined for what never started (`unconsumed`). */
  readonly startedAt: number | undefined;
  readonly foundAt: number;
  /** From when on the agent could react to it; infinite where it never could. */
  readonly effectiveAt: number;
  /** From when on what runs, or is due, inside it is in the changed situation; infinite where nothing inside is. */
  readonly insideEffectiveAt: number;
  /** Recorded time from which on the agent was in a situation nobody recorded, microseconds since the run started. */
  readonly recordedAtUs: number;
  /** Recorded time at which the call began, or would have begun. */
  readonly recordedStartUs: number;
  readonly inputLeaves: readonly string[];
  readonly outcomeLeaves: readonly string[];
  /** It was made outside of every run, so its path says nothing of where it had an effect. */
  readonly isBeside?: boolean;
  /** Where the call was recorded, of one that was made elsewhere. */
  readonly movedFrom?: string | undefined;
}

/** What tells of the surroundings only, and so leads to nothing by itself. */
function isBareFact(kind: Finding['kind']): boolean {
  return kind !== 'edit' && isPrecondition(kind);
}

function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(`${ancestor}/`);
}

/** Whether a call made at this instant was made in a situation that the finding had changed. */
export function reaches(finding: Finding, at: number, path: string): boolean {
  if (isBareFact(finding.kind) || finding.kind === 'unconsumed') return false;
  return finding.effectiveAt < at || (finding.insideEffectiveAt < at && isBelow(path, finding.path));
}

/** What of a call explains how the same call ended. */
const leadsToOwnOutcome: ReadonlySet<Finding['kind']> = new Set(['forbidden', 'input-changed', 'schema-changed']);

function isAboutOutcome(kind: Finding['kind']): boolean {
  return kind === 'output-changed' || kind === 'outcome-changed';
}

/** Whether a run ended early: what was recorded inside it later could then not be met any more. */
function endedEarly(finding: Finding): boolean {
  return isAboutOutcome(finding.kind) && Number.isFinite(finding.insideEffectiveAt);
}

/** Whether a divergence explains that a recorded call was not made; only the recording says when it would have been. */
function explainsMissing(earlier: Finding, missing: Finding): boolean {
  if (earlier.kind === 'unconsumed') return false;
  // A helper agent that was inlined is missing because what it called is called elsewhere.
  if (earlier.movedFrom !== undefined && isBelow(earlier.movedFrom, missing.path)) return true;
  const isLater = missing.recordedStartUs >= earlier.recordedAtUs;
  if (!isBelow(missing.path, earlier.path)) return isLater && Number.isFinite(earlier.effectiveAt);
  if (isAboutOutcome(earlier.kind)) return endedEarly(earlier) && isLater;
  return Number.isFinite(earlier.insideEffectiveAt);
}

/**
 * Whether an earlier divergence could have led to a later one at all. Never where the later call had started before the
 * agent could know of the earlier divergence: parallel calls do not cause each other.
 */
function couldHaveLedTo(earlier: Finding, later: Finding): boolean {
  if (isBareFact(earlier.kind)) return false;
  if (later.startedAt === undefined) return explainsMissing(earlier, later);
  if (reaches(earlier, later.startedAt, later.path)) return true;
  // A crossing that ran with an edited input ends differently for that reason.
  if (earlier.kind === 'edit' && isAboutOutcome(later.kind) && earlier.path === later.path) return true;
  // So does one whose own code was refused an effect, or ran with another input than recorded.
  if (leadsToOwnOutcome.has(earlier.kind) && isAboutOutcome(later.kind) && earlier.path === later.path) return true;
  // An outcome comes after everything that happened inside the call.
  const isInside = earlier.isBeside === true || isBelow(earlier.path, later.path);
  return isAboutOutcome(later.kind) && isInside && earlier.effectiveAt <= later.foundAt;
}

/** Whether a call that was not made would have ended, when recorded, before the other began. */
function wasDueBefore(missing: Finding, other: Finding): boolean {
  if (missing.kind !== 'unconsumed' || missing === other) return false;
  if (isAboutOutcome(other.kind) && isBelow(missing.path, other.path)) return true;
  return missing.recordedAtUs <= other.recordedStartUs;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether a changed value of the earlier outcome turns up in what changed later, as it is or inside JSON in a string. */
function sharesValue(earlier: Finding, later: Finding): boolean {
  const leaves = isAboutOutcome(later.kind) ? later.outcomeLeaves : later.inputLeaves;
  return earlier.outcomeLeaves.some((value) => {
    const inJson = escaped(value);
    return leaves.some((leaf) => leaf.includes(value) || leaf.includes(inJson));
  });
}

/**
 * Tells causes from consequences; `findings` in the order of discovery. The result names for each consequence its cause
 * (never another consequence): the latest one whose changed outcome value it contains, else the earliest after which it
 * came.
 */
export function causesOf(findings: readonly Finding[]): Map<string, CausedBy> {
  const causes = new Map<string, CausedBy>();
  findings.forEach((later, index) => {
    if (later.kind === 'edit' || isPrecondition(later.kind)) return;
    const possible = findings.slice(0, index).filter((earlier) => couldHaveLedTo(earlier, later));
    const byValue = possible.findLast((earlier) => sharesValue(earlier, later));
    const cause = byValue ?? possible[0];
    if (cause === undefined) return;
    const divergence = causes.get(cause.id)?.divergence ?? cause.id;
    causes.set(later.id, { divergence, evidence: byValue === undefined ? 'order' : 'value' });
  });
  explainByMissing(findings, causes);
  return causes;
}

/**
 * A call that is no longer made is found only at the end, but took effect when it was due: what came after it and has no
 * other cause, came after it in a situation nobody recorded.
 */
function explainByMissing(findings: readonly Finding[], causes: Map<string, CausedBy>): void {
  const unexplained = findings.filter(({ id, kind }) => !causes.has(id) && kind !== 'edit' && !isPrecondition(kind));
  const missing = unexplained
    .filter(({ kind }) => kind === 'unconsumed')
    .sort((left, right) => left.recordedStartUs - right.recordedStartUs);
  for (const finding of unexplained) {
    const cause = missing.find((candidate) => wasDueBefore(candidate, finding));
    if (cause !== undefined) causes.set(finding.id, { divergence: cause.id, evidence: 'order' });
  }
  for (const [id, { divergence, evidence }] of causes) {
    const above = causes.get(divergence);
    if (above !== undefined) causes.set(id, { divergence: above.divergence, evidence });
  }
}
