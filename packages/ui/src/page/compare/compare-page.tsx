import { diffHeadline, firstDifferenceText, totalsText } from '@reenact/recordings/compare/diff-wording';
import type { RunComparison } from '@reenact/trace-model/collector-api';
import { counted } from '@reenact/trace-model/words';
import { useContext, useEffect } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { type ComparisonRoute, writeRoute } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { Command } from '../shown/command.tsx';
import { CompareForm } from '../shown/compare-form.tsx';
import { VerdictBadge } from '../shown/run-badges.tsx';
import { shownTime } from '../words/shown-time.ts';
import { comparisonNotices } from './comparison-notices.ts';
import { StepList } from './step-list.tsx';

type Side = RunComparison['left'];

function SideView({ letter, side }: { readonly letter: string; readonly side: Side }) {
  const { traceId, rootSpanId, rootPath, service, startedAt, crossings, replayability } = side;
  const facts = [...(service === undefined ? [] : [service]), shownTime(startedAt), counted(crossings, 'crossing')];
  return (
    <div class="side">
      <dt>{letter}</dt>
      <dd>
        <a href={writeRoute({ page: 'run', id: traceId, spanId: rootSpanId })}>{rootPath}</a>{' '}
        <VerdictBadge run={{ replayability: { verdict: replayability, missing: [] } }} />
        <span class="faint"> {facts.join(' · ')}</span>
      </dd>
    </div>
  );
}

function EnvironmentView({ found }: { readonly found: RunComparison }) {
  const { environment, leftOutEnvironment } = found;
  if (environment.length === 0) return null;
  return (
    <details class="section" open>
      <summary>Made of differently</summary>
      <table class="places">
        <thead>
          <tr>
            <th scope="col">fact</th>
            <th scope="col">a</th>
            <th scope="col">b</th>
          </tr>
        </thead>
        <tbody>
          {environment.map(({ name, left, right, crossings, path }) => (
            <tr key={`${name} ${left} ${right}`}>
              <th scope="row">
                {name}
                {crossings === undefined ? null : (
                  <span class="faint">
                    {' '}
                    of {counted(crossings, 'crossing')}, first {path}
                  </span>
                )}
              </th>
              <td data-label="a">{left === undefined ? <span class="faint">not said</span> : <code>{left}</code>}</td>
              <td data-label="b">{right === undefined ? <span class="faint">not said</span> : <code>{right}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {leftOutEnvironment === undefined ? null : <p class="faint">And {leftOutEnvironment} more.</p>}
    </details>
  );
}

function Comparison({ found, route, onAgain }: { found: RunComparison; route: ComparisonRoute; onAgain: () => void }) {
  const { left, right, differences, leftOutDifferences = 0, totals, notes } = found;
  const notices = comparisonNotices(found);
  const isPending = left.pendingCrossings !== undefined || right.pendingCrossings !== undefined;
  const first = firstDifferenceText(found);
  const command = `reenact diff ${left.rootSpanId} ${right.rootSpanId}${route.exact ? ' --exact' : ''}`;
  return (
    <>
      <dl class="sides">
        <SideView letter="a" side={left} />
        <SideView letter="b" side={right} />
      </dl>
      <p class={`verdict ${found.verdict}`}>
        <strong>{diffHeadline({ ...found, differenceTotal: differences.length + leftOutDifferences })}</strong> {first}
      </p>
      {notices.map((notice) => (
        <p class="notice" key={notice}>
          {notice}
        </p>
      ))}
      {isPending ? (
        <button type="button" onClick={onAgain}>
          Look again
        </button>
      ) : null}
      <p class="facts">{totalsText(totals)}</p>
      <Command label="On a terminal:" text={command} />
      <EnvironmentView found={found} />
      <StepList found={found} />
      {notes.length === 0 ? null : (
        <ul class="faint">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Asked({ route }: { readonly route: ComparisonRoute }) {
  const { left, right, exact } = route;
  const collector = useContext(CollectorContext);
  const [asked, again] = useAnswer(JSON.stringify(route), () => collector.compareRuns({ left, right, exact }));
  return (
    <>
      <p class="facts">
        <a href={writeRoute({ ...route, left: right, right: left })}>Swap a and b</a>
        <label>
          <input
            type="checkbox"
            checked={exact}
            onChange={(event) => goTo({ ...route, exact: event.currentTarget.checked }, 'replace')}
          />{' '}
          an exact comparison: also ids and times that a provider makes anew for every answer
        </label>
      </p>
      {asked.state === 'waiting' ? (
        <p class="faint" role="status">
          Comparing the runs …
        </p>
      ) : null}
      {asked.state === 'failed' ? (
        <>
          <AskedFailure asked={asked} onAgain={again} />
          <Command label="On a terminal:" text={`reenact diff ${left} ${right}${exact ? ' --exact' : ''}`} />
        </>
      ) : null}
      {asked.state === 'answered' ? <Comparison found={asked.answer} route={route} onAgain={again} /> : null}
    </>
  );
}

/** Two runs of the collector side by side: a is what is compared with, b what is asked about. */
export function ComparePage({ route }: { readonly route: ComparisonRoute }) {
  useEffect(() => {
    document.title = 'Two runs side by side · Reenact';
    return () => {
      document.title = 'Reenact';
    };
  }, []);
  const known = route.left === '' ? route.right : route.left;
  return (
    <main class="comparison">
      <h1>Two runs side by side</h1>
      {route.left === '' || route.right === '' ? (
        <div class="notice">
          <p>
            {known === ''
              ? 'Open a run and compare it with another one from there.'
              : `Which run is ${known} compared with?`}
          </p>
          {known === '' ? null : <CompareForm known={known} />}
        </div>
      ) : (
        <Asked route={route} />
      )}
    </main>
  );
}
