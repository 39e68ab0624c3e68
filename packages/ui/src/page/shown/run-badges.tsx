import type { RunSummary } from '@reenact/trace-model/collector-api';
import { counted } from '@reenact/trace-model/words';

const verdicts: Readonly<Record<RunSummary['replayability']['verdict'], string>> = {
  full: 'Everything needed for a replay is recorded',
  partial: 'It replays, with limits',
  cold: 'It lacks something that a replay needs',
};

/** How a run ended. */
export function StatusMark({ run }: { readonly run: Pick<RunSummary, 'status' | 'isPending'> }) {
  if (run.isPending === true)
    return (
      <span class="mark pending" role="img" aria-label="has not ended" title="has not ended">
        …
      </span>
    );
  const [sign, said] = run.status === 'ok' ? ['✓', 'ended ok'] : ['✗', 'ended in error'];
  return (
    <span class={`mark ${run.status}`} role="img" aria-label={said} title={said}>
      {sign}
    </span>
  );
}

/** How far a run can be replayed. */
export function VerdictBadge({ run }: { readonly run: Pick<RunSummary, 'replayability'> }) {
  const { verdict } = run.replayability;
  return (
    <span class={`badge ${verdict}`} title={verdicts[verdict]}>
      {verdict}
    </span>
  );
}

/** What went wrong inside, by its name where there is one. */
function errorWords({ errorCount, errorTypes = [] }: RunSummary): string[] {
  const [first, ...others] = errorTypes;
  if (first !== undefined) return [others.length === 0 ? first : `${first} and ${others.length} more`];
  return errorCount === 0 ? [] : [counted(errorCount, 'error')];
}

/** What else is to be known of a run at a glance. */
export function RunMarks({ run }: { readonly run: RunSummary }) {
  const { origin, kept, replays = 0, forks = 0, flaggedCount = 0 } = run;
  const words = [
    ...(origin === 'recorded' ? [] : [origin]),
    ...(kept === undefined ? [] : ['kept']),
    ...(replays === 0 ? [] : [counted(replays, 'replay')]),
    ...(forks === 0 ? [] : [counted(forks, 'fork')]),
    ...(flaggedCount === 0 ? [] : [`${flaggedCount} flagged`]),
  ];
  return (
    <>
      {errorWords(run).map((word) => (
        // Errors of a run that ended well were handled.
        <span class={run.status === 'error' ? 'badge bad' : 'badge'} key={word}>
          {word}
        </span>
      ))}
      {words.map((word) => (
        <span class="badge" key={word}>
          {word}
        </span>
      ))}
    </>
  );
}
