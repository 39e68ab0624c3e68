import { CIRCUMSTANCES, type Drift } from '@reenact/trace-model/collector-api';
import { counted, driftConclusion } from '@reenact/trace-model/words';
import { DRIFT_OUTCOMES_SHOWN_MAX } from '../limits.ts';
import { paint, type Terminal } from '../terminal/terminal.ts';
import { shownTime } from './run-rows.ts';

function circumstancesText({ by }: Drift['outcomes'][number]): string {
  const parts = CIRCUMSTANCES.flatMap((name) => {
    const values = by[name].filter(({ value }) => value !== '').map(({ value, crossings }) => `${value} ×${crossings}`);
    return values.length === 0 ? [] : [`${name} ${values.join(', ')}`];
  });
  return parts.length === 0 ? 'under circumstances that were not recorded' : parts.join(' · ');
}

/** Prints what is known of one input: its most frequent outcomes, and what they go with. */
export function printDrift(drift: Drift, terminal: Terminal): void {
  const { kind, name, crossings, outcomes, firstAt, lastAt } = drift;
  terminal.out(paint(terminal, 'strong', `${kind}:${name}`));
  terminal.out(
    `  ${crossings} crossings with equal input, ${outcomes.length} outcomes, ${shownTime(firstAt)} to ${shownTime(lastAt)}`,
  );
  for (const outcome of outcomes.slice(0, DRIFT_OUTCOMES_SHOWN_MAX)) {
    terminal.out(
      `  ${outcome.crossings} × outcome ${outcome.outcome.slice(0, 8)}, last ${shownTime(outcome.lastAt)}, span ${outcome.spanId}`,
    );
    terminal.out(paint(terminal, 'quiet', `      ${circumstancesText(outcome)}`));
  }
  const others = outcomes.slice(DRIFT_OUTCOMES_SHOWN_MAX);
  const met = others.reduce((sum, outcome) => sum + outcome.crossings, 0);
  if (others.length > 0)
    terminal.out(`  … and ${counted(others.length, 'other outcome')} of ${counted(met, 'crossing')}: --json has all`);
  terminal.out(`  ${driftConclusion(drift)}`);
}
