import type { RunSummary } from '@reenact/trace-model/collector-api';
import { useContext, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { writeRoute } from '../routing/route.ts';
import { CompareForm } from '../shown/compare-form.tsx';
import { shownTime } from '../words/shown-time.ts';
import { earlierRunQuery, goodRunsBefore } from './earlier-run-query.ts';

/** So many of the runs before are offered. */
const RUNS_OFFERED_MAX = 5;

interface CompareWithProps {
  readonly run: RunSummary;
}

/** The good runs of its kind before it: what went wrong without an error is told by what the runs before did. */
function GoodRuns({ run }: CompareWithProps) {
  const collector = useContext(CollectorContext);
  const query = earlierRunQuery(run);
  const [asked] = useAnswer(JSON.stringify(query), () => collector.listRuns(query));
  if (asked.state === 'waiting') return <p class="faint">Looking for good runs before it …</p>;
  if (asked.state === 'failed') return <p class="faint">Whether runs before it were good is not known.</p>;
  const found = goodRunsBefore(run, asked.answer.runs).slice(0, RUNS_OFFERED_MAX);
  if (found.length === 0) return <p class="faint">No good run of its kind was found before it.</p>;
  return (
    <p class="facts">
      Good runs of its kind before it:{' '}
      {found.map(({ traceId, rootSpanId, startedAt }) => (
        <a
          key={traceId}
          href={writeRoute({ page: 'compare', left: rootSpanId, right: run.rootSpanId, exact: false })}
          aria-label={`Compare it with the run of ${shownTime(startedAt)}`}
        >
          {shownTime(startedAt)}
        </a>
      ))}
    </p>
  );
}

/** Leads to a comparison of a run with any other one; nothing is asked for before it is opened. */
export function CompareWith({ run }: CompareWithProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="missing" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Compare it with another run</summary>
      {isOpen ? (
        <>
          <GoodRuns run={run} />
          <CompareForm known={run.rootSpanId} />
        </>
      ) : null}
    </details>
  );
}
