import { CIRCUMSTANCES, type Drift, type DriftQuery } from '@reenact/trace-model/collector-api';
import { counted, driftConclusion, offPair } from '@reenact/trace-model/words';
import { useContext, useMemo } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { driftQueryOf } from '../routing/list-query.ts';
import { type Filters, writeRoute } from '../routing/route.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { UnsummarisedNote } from '../shown/unsummarised-note.tsx';
import { shownTime } from '../words/shown-time.ts';

type Outcome = Drift['outcomes'][number];

const DRIFTS_MAX = 100;

function Circumstances({ by }: Outcome) {
  const known = CIRCUMSTANCES.flatMap((name) => {
    const values = by[name].filter(({ value }) => value !== '');
    return values.length === 0 ? [] : [{ name, values }];
  });
  if (known.length === 0) return <span class="faint">circumstances not recorded</span>;
  return (
    <>
      {known.map(({ name, values }) => (
        <span class="chip" key={name}>
          {name}{' '}
          <strong>
            {values.map(({ value, crossings }) => `${value.slice(0, offPair(value, 24))} ×${crossings}`).join(', ')}
          </strong>
        </span>
      ))}
    </>
  );
}

function OutcomeRow({ outcome, share }: { readonly outcome: Outcome; readonly share: number }) {
  return (
    <tr>
      <td class="wide">
        <span class="bar" style={{ width: `${share * 100}%` }} /> {outcome.crossings} ×
      </td>
      <td>
        <a href={writeRoute({ page: 'run', id: outcome.traceId, spanId: outcome.spanId })}>
          outcome <code>{outcome.outcome.slice(0, 8)}</code>
        </a>
      </td>
      <td>last {shownTime(outcome.lastAt)}</td>
      <td>
        <Circumstances {...outcome} />
      </td>
    </tr>
  );
}

function DriftView({ drift }: { readonly drift: Drift }) {
  const { kind, name, crossings, outcomes } = drift;
  return (
    <section class="drift">
      <h2>
        <span class={`kind ${kind}`}>{kind}</span> {name}
      </h2>
      <p class="facts">
        {counted(crossings, 'crossing')} with equal input, {counted(outcomes.length, 'outcome')}.{' '}
        {driftConclusion(drift)}
      </p>
      <table class="bars">
        <tbody>
          {outcomes.map((outcome) => (
            <OutcomeRow key={outcome.outcome} outcome={outcome} share={outcome.crossings / crossings} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function DriftList({ query }: { readonly query: DriftQuery }) {
  const collector = useContext(CollectorContext);
  const asking = { limit: DRIFTS_MAX, ...query };
  const [asked, again] = useAnswer(JSON.stringify(asking), () => collector.listDrift(asking));
  if (asked.state === 'waiting') return <p class="faint">Looking …</p>;
  if (asked.state === 'failed') return <AskedFailure asked={asked} onAgain={again} />;
  const { drifts, nextCursor, unsummarisedRuns } = asked.answer;
  return (
    <>
      <AskedFailure asked={asked} onAgain={again} />
      <UnsummarisedNote count={unsummarisedRuns} onAgain={again} />
      {drifts.length === 0 ? <p class="notice">No crossings had equal input and different outcomes.</p> : null}
      {drifts.map((drift) => (
        <DriftView key={`${drift.kind}${drift.name}${drift.input}`} drift={drift} />
      ))}
      {nextCursor === undefined ? null : (
        <p class="notice">
          There are more than {DRIFTS_MAX}. `reenact drift` lists them all, and narrows by kind and name.
        </p>
      )}
    </>
  );
}

/** Crossings with equal input and different outcomes: what a model, a tool or a service answers otherwise than before. */
export function DriftPage({ filters }: { readonly filters: Filters }) {
  const key = JSON.stringify(filters);
  const query = useMemo(() => driftQueryOf(filters, Date.now()), [key]);
  return (
    <main>
      <h1>The same input, another outcome</h1>
      {'problem' in query ? (
        <p class="notice bad" role="alert">
          This address cannot be read: {query.problem}
        </p>
      ) : (
        <DriftList query={query} />
      )}
    </main>
  );
}
