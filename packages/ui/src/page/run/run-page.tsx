import type { OtherSpan, RunTree } from '@reenact/trace-model/collector-api';
import { counted, humanDuration } from '@reenact/trace-model/words';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { goTo } from '../routing/use-route.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { UnsummarisedNote } from '../shown/unsummarised-note.tsx';
import { visibleDirections } from '../shown/visible-directions.ts';
import { AgentsView } from './agents-view.tsx';
import { CallsAround } from './calls-around.tsx';
import { CrossingPanel } from './crossing-panel.tsx';
import { crossingState, hasReturnedError } from './crossing-state.ts';
import { RunHeader } from './run-header.tsx';
import { layTimeline } from './timeline-layout.ts';
import { TimelineView } from './timeline-view.tsx';
import { tokensInside } from './tokens-inside.ts';
import { useFollowedRun } from './use-followed-run.ts';
import { useLookedAt } from './use-looked-at.ts';

interface RunPageProps {
  readonly id: string;
  readonly spanId: string | undefined;
}

function OtherSpans({ spans }: { readonly spans: readonly OtherSpan[] }) {
  if (spans.length === 0) return null;
  return (
    <details>
      <summary>Of no crossing: {counted(spans.length, 'span')}</summary>
      <ul class="others">
        {spans.map(({ spanId, name, status, durationMs }) => (
          <li key={spanId} class={status}>
            {name} <span class="faint">{durationMs === undefined ? 'goes on' : humanDuration(durationMs)}</span>{' '}
            <code>{spanId}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * The crossing to show where the address names none beside the run: that by whose id it names the run, else what it failed in, else the last that failed
 * although the run did not, else the root.
 */
function firstLook({ crossings, failure }: RunTree, id: string): string | undefined {
  const there = new Set(crossings.map(({ spanId }) => spanId));
  const told = [id, failure?.inside?.spanId, failure?.spanId].find(
    (spanId) => spanId !== undefined && there.has(spanId),
  );
  const failed = crossings.filter((node) => crossingState(node) === 'error');
  // What was thrown says more than what only came back as an error.
  const last = failed.findLast((node) => !hasReturnedError(node)) ?? failed.at(-1);
  return told ?? (last ?? crossings[0])?.spanId;
}

function Run({ tree, id, spanId, onAgain }: RunPageProps & { readonly tree: RunTree; readonly onAgain: () => void }) {
  const { run, crossings, otherSpans, isOutline, leftOutSpans } = tree;
  const inside = useMemo(() => tokensInside(crossings), [crossings]);
  const timeline = useMemo(() => layTimeline(crossings, inside), [crossings, inside]);
  // Of a run that goes on it stays, whatever fails meanwhile.
  const first = useRef<string>(undefined);
  first.current ??= firstLook(tree, id);
  const { selected, looked, select } = useLookedAt(spanId ?? first.current, (chosen) =>
    goTo({ page: 'run', id, spanId: chosen }, 'replace'),
  );
  const [isOnlyNew, setIsOnlyNew] = useState(false);
  const node = useMemo(() => crossings.find((crossing) => crossing.spanId === looked), [crossings, looked]);
  return (
    <>
      <RunHeader tree={tree}>
        <AgentsView crossings={crossings} inside={inside} />
      </RunHeader>
      <UnsummarisedNote count={tree.unsummarisedRuns} onAgain={onAgain} />
      {isOutline === true ? (
        <p class="notice">
          This run is too large for what was said to be shown in its rows. Each crossing still has it.
        </p>
      ) : null}
      {leftOutSpans === undefined ? null : (
        <p class="notice">The last {counted(leftOutSpans, 'span')} of it are not shown.</p>
      )}
      <div class="split">
        <div class="tree">
          <TimelineView timeline={timeline} selected={selected} onSelect={select} />
          <OtherSpans spans={otherSpans} />
        </div>
        {node === undefined ? (
          <p class="notice">There is no crossing{looked === undefined ? '' : ` ${looked}`} in this run.</p>
        ) : (
          <CrossingPanel
            traceId={run.traceId}
            crossings={crossings}
            node={node}
            inside={inside.get(node.spanId)}
            onlyNew={{ isOn: isOnlyNew, choose: setIsOnlyNew }}
          >
            <CallsAround runId={id} crossings={crossings} node={node} />
          </CrossingPanel>
        )}
      </div>
    </>
  );
}

/** One run: its crossings in time, and one of them looked at. */
export function RunPage({ id, spanId }: RunPageProps) {
  const collector = useContext(CollectorContext);
  const [asked, again] = useAnswer(id, () => collector.getRun(id));
  const tree = asked.state === 'answered' ? asked.answer : undefined;
  const { isDeleted, state } = useFollowedRun(tree, again);
  const name = tree?.run.name;
  useEffect(() => {
    if (name === undefined) return;
    document.title = `${visibleDirections(name)} · Reenact`;
    return () => {
      document.title = 'Reenact';
    };
  }, [name]);
  return (
    <main>
      {tree === undefined ? <h1 class="unseen">A run</h1> : null}
      {asked.state === 'waiting' ? <p class="faint">Reading the run …</p> : null}
      <AskedFailure asked={asked} onAgain={again} />
      {tree === undefined || state === 'on' ? null : (
        <p class={`live ${state}`} role="status">
          {state === 'lost' ? 'no connection, trying again' : 'not live: what comes of this run is not shown'}
        </p>
      )}
      {isDeleted ? (
        <p class="notice bad" role="status">
          This run has been deleted. What was read of it is still shown until this page is left.
        </p>
      ) : null}
      {asked.state === 'answered' ? <Run tree={asked.answer} id={id} spanId={spanId} onAgain={again} /> : null}
    </main>
  );
}
