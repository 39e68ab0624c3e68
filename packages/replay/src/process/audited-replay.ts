import { type Audit, type Divergence, type ReplayReport, VERDICT_EXIT_CODES, type Verdict } from '@reenact/trace-model';
import type { Plan } from '../plan/plan-schema.ts';

/** Runs the same replay by a plan. */
export type AuditedReplay<Report extends ReplayReport> = (plan: Plan) => Promise<Report>;

/** What a divergence is, however its values came out. */
function signature({ kind, path, difference = [] }: Divergence): string {
  return [kind, path, ...difference.map((entry) => entry.path)].join('\n');
}

function unprovenFields(first: ReplayReport, second: ReplayReport): string[] {
  return (first.ignored ?? []).flatMap(({ selector, path, met, differed }, index) => {
    const again = second.ignored?.[index]?.differed ?? 0;
    return met > 0 && differed === 0 && again === 0 ? [`${path} of ${selector}`] : [];
  });
}

function auditOf(first: ReplayReport, second: ReplayReport): Audit {
  const known = new Set(first.divergences.map(signature));
  const divergences = second.divergences.filter((divergence) => !known.has(signature(divergence)));
  const unproven = unprovenFields(first, second);
  if (divergences.length > 0) return { verdict: 'depends', divergences, unproven };
  return { verdict: unproven.length > 0 ? 'unproven' : 'independent', divergences, unproven };
}

function noteOf({ verdict, divergences, unproven }: Audit): string {
  switch (verdict) {
    case 'independent':
      return 'Audit: a second replay, with other values in what the plan ignores, went the same way.';
    case 'depends': {
      const [first] = divergences;
      return `Audit: the run depends on what the plan ignores. With other values there, ${first?.kind} at ${first?.path}: ${first?.message}`;
    }
    case 'unproven':
      return `Audit: nothing could be learnt about ${unproven.join(', ')}: no served outcome holds that value, so it was the recorded one both times.`;
  }
}

function worse(verdict: Verdict, than: Verdict): Verdict {
  return VERDICT_EXIT_CODES[than] > VERDICT_EXIT_CODES[verdict] ? than : verdict;
}

function verdictOf(first: ReplayReport, audit: Audit): Verdict {
  switch (audit.verdict) {
    case 'independent':
      return first.verdict;
    case 'depends':
      return worse(first.verdict, 'diverged');
    case 'unproven':
      return worse(first.verdict, 'unverified');
  }
}

/**
 * Runs a replay twice, the second time with other values in what its plan ignores, and gives the report of the first with
 * what the second showed: a run that depends on an ignored field counts as diverged, and one about which nothing could be
 * learnt as unverified. A plan that ignores nothing is run once.
 */
export async function replayAudited<Report extends ReplayReport>(
  plan: Plan,
  replayBy: AuditedReplay<Report>,
): Promise<Report> {
  const first = await replayBy(plan);
  if (plan.ignore.length === 0) {
    return { ...first, notes: [...first.notes, 'Audit: the plan ignores nothing, so there is nothing to prove.'] };
  }
  const second = await replayBy({ ...plan, perturbsIgnored: true });
  const audit = auditOf(first, second);
  const verdict = verdictOf(first, audit);
  return { ...first, verdict, exitCode: VERDICT_EXIT_CODES[verdict], audit, notes: [...first.notes, noteOf(audit)] };
}
