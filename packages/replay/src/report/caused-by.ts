import { type CausedBy, type DivergenceKind, isPrecondition } from '@reenact/trace-model';

/** One divergence with what is needed to say what caused it. Instants are positions in the merged list of events. */
export interface Finding {
  readonly id: string;
  readonly kind: DivergenceKind;
  readonly path: string;
  /** When the call it belongs to started; undefined for what never started (`unconsumed`). */
  readonly startedAt: number | undefined;
  readonly foundAt: number;
  /** From when on the agent could react to it; infinite where it never could. */
  readonly effectiveAt: number;
  /** From when on what runs inside it already runs in the changed situation. */
  readonly insideEffectiveAt: number;
  /** Recorded time from which on the agent was in a situation nobody recorded, microseconds since the run started. */
  readonly recordedAtUs: number;
  /** Recorded start of the crossing, for what never started. */
  readonly recordedStartUs: number;
  readonly inputLeaves: readonly string[];
  readonly outcomeLeaves: readonly string[];
}

function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(`${ancestor}/`);
}

/** Whether a call made at this instant was made in a situation that the finding had changed. */
export function reaches(finding: Finding, at: number, path: string): boolean {
  if (isPrecondition(finding.kind) || finding.kind === 'unconsumed') return false;
  return finding.effectiveAt < at || (finding.insideEffectiveAt < at && isBelow(path, finding.path));
}

function isAboutOutcome(kind: DivergenceKind): boolean {
  return kind === 'output-changed' || kind === 'outcome-changed';
}

/**
 * Whether an earlier divergence could have led to a later one at all. Never where the later call had started before the
 * agent could know of the earlier divergence: parallel calls do not cause each other.
 */
function couldHaveLedTo(earlier: Finding, later: Finding): boolean {
  if (isPrecondition(earlier.kind)) return false;
  if (later.startedAt === undefined) {
    // It was not met, so only the recording says when it would have been.
    const isOwnKind = earlier.kind === 'unconsumed' || earlier.kind === 'outcome-changed';
    return !isOwnKind && (isBelow(later.path, earlier.path) || later.recordedStartUs >= earlier.recordedAtUs);
  }
  if (reaches(earlier, later.startedAt, later.path)) return true;
  // An outcome comes after everything that happened inside the call.
  return isAboutOutcome(later.kind) && isBelow(earlier.path, later.path) && earlier.effectiveAt <= later.foundAt;
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
    if (isPrecondition(later.kind)) return;
    const possible = findings.slice(0, index).filter((earlier) => couldHaveLedTo(earlier, later));
    const byValue = possible.findLast((earlier) => sharesValue(earlier, later));
    const cause = byValue ?? possible[0];
    if (cause === undefined) return;
    const divergence = causes.get(cause.id)?.divergence ?? cause.id;
    causes.set(later.id, { divergence, evidence: byValue === undefined ? 'order' : 'value' });
  });
  return causes;
}
