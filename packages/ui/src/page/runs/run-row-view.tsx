import type { RunSummary } from '@reenact/trace-model/collector-api';
import { costText, humanDuration } from '@reenact/trace-model/words';
import type { ComponentChildren } from 'preact';
import { writeRoute } from '../routing/route.ts';
import { RunMarks, StatusMark, VerdictBadge } from '../shown/run-badges.tsx';
import { shownCount } from '../words/shown-count.ts';
import { shownTime } from '../words/shown-time.ts';
import type { RunRow } from './merge-runs.ts';

interface RunRowProps {
  readonly row: RunRow;
  /** Of the longest run that is shown. */
  readonly durationMsMax: number;
  /** Narrows the list to what was pointed at. */
  readonly onFilter: (name: string, value: string) => void;
}

/** How long a run took beside the longest one, on a scale of roots: a run of a tenth of the time is still to be seen. */
function DurationBar({ run, durationMsMax }: { readonly run: RunSummary; readonly durationMsMax: number }) {
  if (run.isPending === true) return <span class="faint">goes on</span>;
  const share = durationMsMax === 0 ? 0 : Math.sqrt(run.durationMs / durationMsMax);
  return (
    <span class="duration">
      <span>{humanDuration(run.durationMs)}</span>
      <span class="share">
        <span class={`bar ${run.status}`} style={{ width: `${Math.max(share * 100, 1)}%` }} />
      </span>
    </span>
  );
}

function Narrowing({ name, value, onFilter }: { name: string; value: string; onFilter: RunRowProps['onFilter'] }) {
  return (
    <button type="button" class="word" title={`Only ${name} ${value}`} onClick={() => onFilter(name, value)}>
      {value}
    </button>
  );
}

function Cell({ label, children }: { readonly label: string; readonly children?: ComponentChildren }) {
  return <td data-label={label}>{children}</td>;
}

function Hits({ row }: { readonly row: RunRow }) {
  return (
    <>
      {row.hits.map(({ spanId, part, snippet }) => (
        <tr class="hit" key={`${spanId}${part}`}>
          <td />
          <td colSpan={7}>
            <a href={writeRoute({ page: 'run', id: row.run.traceId, spanId })}>
              <span class="faint">{part}</span>{' '}
              {snippet.map(({ text, isMatch }, index) =>
                isMatch ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
              )}
            </a>
          </td>
        </tr>
      ))}
    </>
  );
}

/** What the run was about, on one line: the page of the run has all of it. */
function About({ asked, answered }: RunSummary) {
  if (asked === undefined && answered === undefined) return null;
  return (
    <tr class="about">
      <td />
      <td colSpan={7}>
        {asked === undefined ? null : <span title={asked}>{asked}</span>}
        {answered === undefined ? null : (
          <span class={answered.startsWith('✗') ? 'failed' : ''} title={answered}>
            {` → ${answered}`}
          </span>
        )}
      </td>
    </tr>
  );
}

/** One run of the list, and where the words were found in it. */
export function RunRowView({ row, durationMsMax, onFilter }: RunRowProps) {
  const { run } = row;
  const { inputTokens, outputTokens } = run;
  return (
    <>
      <tr data-run={run.traceId}>
        <td>
          <StatusMark run={run} />
        </td>
        <Cell label="run">
          <a class="name" href={writeRoute({ page: 'run', id: run.traceId, spanId: undefined })}>
            {run.name === '' ? '(without a name)' : run.name}
          </a>{' '}
          <RunMarks run={run} />
        </Cell>
        <Cell label="started">
          <time dateTime={run.startedAt} title={run.startedAt}>
            {shownTime(run.startedAt)}
          </time>
        </Cell>
        <Cell label="service">
          <Narrowing name="service" value={run.service} onFilter={onFilter} />
        </Cell>
        <Cell label="took">
          <DurationBar run={run} durationMsMax={durationMsMax} />
        </Cell>
        <Cell label="models">
          {run.models.map((model) => (
            <Narrowing key={model} name="model" value={model} onFilter={onFilter} />
          ))}
        </Cell>
        <Cell label="tokens">
          {inputTokens + outputTokens === 0 ? null : (
            <span title={`${inputTokens} in, ${outputTokens} out`}>
              {shownCount(inputTokens)}→{shownCount(outputTokens)}
            </span>
          )}
          {run.cost === undefined ? null : <span class="faint"> {costText(run.cost)}</span>}
        </Cell>
        <Cell label="replayable">
          <VerdictBadge run={run} />
        </Cell>
      </tr>
      <About {...run} />
      <Hits row={row} />
    </>
  );
}
