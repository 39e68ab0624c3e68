import type { RunSummary } from '@reenact/trace-model/collector-api';
import { missingAdvice } from '@reenact/trace-model/words';
import { writeRoute } from '../routing/route.ts';

type Missing = RunSummary['replayability']['missing'][number];

interface MissingProps {
  readonly run: RunSummary;
}

function Places({ run, items }: { readonly run: RunSummary; readonly items: readonly Missing[] }) {
  return (
    <ul>
      {items.map(({ where, spanId, detail }) => (
        <li key={`${spanId}${where}${detail}`}>
          {spanId === undefined ? (
            (where ?? 'the whole trace')
          ) : (
            <a href={writeRoute({ page: 'run', id: run.traceId, spanId })}>{where ?? spanId}</a>
          )}
          {detail === undefined ? null : <span class="faint"> {detail}</span>}
        </li>
      ))}
    </ul>
  );
}

/** What a recording lacks, what that means for a replay, and what would have recorded it. */
export function MissingView({ run }: MissingProps) {
  const { missing, moreMissing } = run.replayability;
  if (missing.length === 0) return null;
  const causes = [...new Set(missing.map(({ cause }) => cause))];
  return (
    <details class="missing">
      <summary>What it lacks for a replay</summary>
      {causes.map((cause) => {
        const items = missing.filter((item) => item.cause === cause);
        return (
          <section key={cause}>
            <h3>{cause}</h3>
            <p>
              {missingAdvice(
                cause,
                items.flatMap(({ detail }) => detail ?? []),
              )}
            </p>
            <Places run={run} items={items} />
          </section>
        );
      })}
      {moreMissing === undefined ? null : <p>And {moreMissing} more things.</p>}
    </details>
  );
}
