import type { RunSummary, RunTree } from '@reenact/trace-model/collector-api';
import { costText, counted, humanDuration } from '@reenact/trace-model/words';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { writeRoute } from '../routing/route.ts';
import { Command } from '../shown/command.tsx';
import { RunMarks, StatusMark, VerdictBadge } from '../shown/run-badges.tsx';
import { shownCount } from '../words/shown-count.ts';
import { shownTime } from '../words/shown-time.ts';
import { CompareWith } from './compare-with.tsx';
import { earlierRunQuery, lastGoodRun } from './earlier-run-query.ts';
import { FailureView } from './failure-view.tsx';
import { MissingView } from './missing-view.tsx';

function ListLink({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <a class="chip" href={writeRoute({ page: 'runs', filters: { [name]: value } })} title={`All runs of this ${name}`}>
      {name} <strong>{value}</strong>
    </a>
  );
}

function Links({ run }: { readonly run: RunSummary }) {
  const { traceId, sessions = [], users = [], tenants = [], replays, forks, replayOf, forkOf } = run;
  const to = (filters: Record<string, string>): string => writeRoute({ page: 'runs', filters });
  const origin = replayOf ?? forkOf?.traceId;
  return (
    <p class="facts">
      <ListLink name="service" value={run.service} />
      {sessions.map((value) => (
        <ListLink key={value} name="session" value={value} />
      ))}
      {users.map((value) => (
        <ListLink key={value} name="user" value={value} />
      ))}
      {tenants.map((value) => (
        <ListLink key={value} name="tenant" value={value} />
      ))}
      {replays === undefined ? null : <a href={to({ replayOf: traceId })}>{counted(replays, 'replay')} of it</a>}
      {forks === undefined ? null : <a href={to({ forkOf: traceId })}>{counted(forks, 'fork')} of it</a>}
      {origin === undefined ? null : (
        <>
          <a href={writeRoute({ page: 'run', id: origin, spanId: forkOf?.spanId })}>the recording it is made from</a>
          <a href={writeRoute({ page: 'compare', left: origin, right: run.rootSpanId, exact: false })}>compare both</a>
        </>
      )}
    </p>
  );
}

/** The last run of its kind that ended well, and how both are compared. The line is there from the beginning, so that nothing below it moves. */
function LastGood({ run }: { readonly run: RunSummary }) {
  const collector = useContext(CollectorContext);
  const query = earlierRunQuery(run);
  const [asked] = useAnswer(JSON.stringify(query), () => collector.listRuns(query));
  const good = asked.state === 'answered' ? lastGoodRun(run, asked.answer.runs) : undefined;
  if (good === undefined) {
    const said = { waiting: 'Looking for the last good run …', failed: 'Whether a run before was good is not known.' };
    return (
      <p class="command faint">
        {asked.state === 'answered' ? 'No good run of its kind was found before it.' : said[asked.state]}
      </p>
    );
  }
  const { traceId, rootSpanId, startedAt } = good;
  const label = (
    <>
      <a href={writeRoute({ page: 'compare', left: rootSpanId, right: run.rootSpanId, exact: false })}>
        Compare it with the last good run
      </a>{' '}
      of <a href={writeRoute({ page: 'run', id: traceId, spanId: undefined })}>{shownTime(startedAt)}</a>:
    </>
  );
  return <Command label={label} text={`reenact diff ${rootSpanId} ${run.rootSpanId}`} />;
}

/** Why there is nothing to type, where a recording lacks something; whoever looks for the command finds that in its place. */
function NoReplay({ run }: { readonly run: RunSummary }) {
  const { verdict, missing, moreMissing = 0 } = run.replayability;
  const [first] = missing;
  if (verdict !== 'cold' || first === undefined) return null;
  const others = missing.length + moreMissing - 1;
  return (
    <p class="command">
      It cannot be replayed: <strong>{first.cause}</strong> in {first.where ?? 'the whole trace'}
      {others === 0 ? '' : `, and ${counted(others, 'more thing')}`}. What would have recorded it stands below.
    </p>
  );
}

interface RunHeaderProps {
  readonly tree: RunTree;
  /** What else is told of it, beside when it was and how large. */
  readonly children: ComponentChildren;
}

/** What a run was, as a whole. */
export function RunHeader({ tree, children }: RunHeaderProps) {
  const { run, replay } = tree;
  const { inputTokens, outputTokens, cost, crossingCount, spanCount } = run;
  const facts = [
    shownTime(run.startedAt),
    run.isPending === true ? 'goes on' : humanDuration(run.durationMs),
    counted(crossingCount, 'crossing'),
    ...(spanCount === crossingCount ? [] : [counted(spanCount, 'span')]),
    ...(inputTokens + outputTokens === 0 ? [] : [`${shownCount(inputTokens)}→${shownCount(outputTokens)} tokens`]),
    ...(cost === undefined ? [] : [costText(cost)]),
    ...(run.kept === undefined ? [] : [`kept: ${run.kept}`]),
  ];
  return (
    <header class="run">
      <h1>
        <StatusMark run={run} /> <span class="name">{run.name}</span> <VerdictBadge run={run} /> <RunMarks run={run} />
      </h1>
      <FailureView tree={tree} />
      {replay === undefined ? <NoReplay run={run} /> : <Command label="Replay it:" text={`reenact ${replay}`} />}
      {run.status === 'error' ? <LastGood run={run} /> : null}
      <div class="line">
        <p class="facts">{facts.join(' · ')}</p>
        {children}
        <Links run={run} />
      </div>
      <div class="line">
        <CompareWith run={run} />
        <MissingView run={run} />
      </div>
    </header>
  );
}
