import type { RunQuery } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { AccessContext } from '../reading/access-context.ts';
import { runQueryOf } from '../routing/list-query.ts';
import { type Filters, withFilter } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { FailureNotice } from '../shown/failure-notice.tsx';
import { SeenTenant } from '../shown/seen-tenant.tsx';
import { UnsummarisedNote } from '../shown/unsummarised-note.tsx';
import { FilterBar } from './filter-bar.tsx';
import { writeListPlace } from './list-place.ts';
import { mergeRuns, type RunRow } from './merge-runs.ts';
import type { RunsSince } from './run-batch.ts';
import { RunRowView } from './run-row-view.tsx';
import { stillWaiting } from './still-waiting.ts';
import { UsageView } from './usage-view.tsx';
import { useListPlace } from './use-list-place.ts';
import { useLiveRuns } from './use-live-runs.ts';
import { useRuns } from './use-runs.ts';

const headings = ['', 'run', 'started', 'service', 'took', 'models', 'tokens', 'replayable'];

const liveWords = {
  off: 'not live',
  on: 'live',
  lost: 'no connection, trying again',
  hidden: 'not live while this tab is hidden',
} as const;

/** After so many have come, the list begins anew with the newest: a page that is left open would have no end. */
const LIVE_RUNS_MAX = 1_000;

/** So, too, after so many that do not pass the filters have changed: of each, its id is remembered. */
const LIVE_CHANGES_MAX = 20_000;

function areTooMany(since: RunsSince): boolean {
  if (since.size <= LIVE_RUNS_MAX) return false;
  return since.size > LIVE_CHANGES_MAX || [...since.values()].filter((run) => run !== 'left').length > LIVE_RUNS_MAX;
}

interface TableProps {
  readonly rows: readonly RunRow[];
  readonly onFilter: (name: string, value: string) => void;
}

function RunTable({ rows, onFilter }: TableProps) {
  const durationMsMax = Math.max(0, ...rows.map(({ run }) => run.durationMs));
  return (
    <table class="runs">
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading === '' ? <span class="unseen">status</span> : heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <RunRowView key={row.run.traceId} row={row} durationMsMax={durationMsMax} onFilter={onFilter} />
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ filters }: { readonly filters: Filters }) {
  const { access } = useContext(AccessContext);
  if (Object.keys(filters).length > 0) {
    return (
      <div class="notice">
        <p>No run passes these filters.</p>
        <SeenTenant />
      </div>
    );
  }
  const headers = access.token === '' ? '' : 'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20<token> ';
  const here = new URL('.', location.href).href.replace(/\/$/, '');
  return (
    <div class="notice">
      <h2>Nothing is recorded yet{access.token === '' ? '' : ' that this token may read'}</h2>
      <SeenTenant />
      <p>Start your agent with the hook, pointed here. Its runs show up on this page as they come.</p>
      <pre>{`OTEL_EXPORTER_OTLP_ENDPOINT=${here} ${headers}node --import reenact/register app.mjs`}</pre>
    </div>
  );
}

interface ListProps {
  readonly filters: Filters;
  readonly query: RunQuery;
  /** Begins the list anew. */
  readonly onAnew: () => void;
}

function RunList({ filters, query, onAnew }: ListProps) {
  const { first, rows: read, hasMore, failure, readMore, again } = useRuns(query);
  const isSearch = query.text !== undefined;
  const answer = first.state === 'answered' ? first.answer : undefined;
  // What a search found has an order of its own, in which what comes would have no place.
  const live = useLiveRuns(query, isSearch ? undefined : answer?.followFrom);
  const rows = useMemo(() => (isSearch ? read : mergeRuns(read, live.since)), [read, live.since, isSearch]);
  const isTooLong = areTooMany(live.since);
  const isDue = live.isOutdated === true || isTooLong;
  useEffect(() => {
    if (isTooLong) writeListPlace(undefined);
    if (isDue) onAnew();
  }, [isDue]);
  useListPlace(filters, answer !== undefined);
  const before = useMemo(() => live.since, [answer]);
  const waiting = answer === undefined ? 0 : stillWaiting(answer, live.since, before);
  const status = isSearch ? null : (
    <p class={`live ${live.state}`} role="status">
      {liveWords[live.state]}
    </p>
  );
  if (first.state === 'failed') {
    return (
      <>
        {status}
        <AskedFailure asked={first} onAgain={again} />
      </>
    );
  }
  const onFilter = (name: string, value: string): void =>
    goTo({ page: 'runs', filters: withFilter(filters, name, value) });
  return (
    <>
      {status}
      {live.failure === undefined ? null : <FailureNotice error={live.failure} onAgain={onAnew} />}
      <AskedFailure asked={first} onAgain={again} />
      {first.state === 'waiting' ? <p class="faint">Looking …</p> : null}
      {waiting === 0 ? null : <UnsummarisedNote count={waiting} onAgain={again} />}
      {first.state === 'answered' && rows.length === 0 ? <Nothing filters={filters} /> : null}
      {rows.length === 0 ? null : <RunTable rows={rows} onFilter={onFilter} />}
      {failure === undefined ? null : <FailureNotice {...failure} onAgain={readMore} />}
      {hasMore && failure === undefined ? (
        <button type="button" onClick={readMore}>
          Earlier runs
        </button>
      ) : null}
      {rows.length === 0 ? null : <UsageView query={query} />}
    </>
  );
}

/** The runs, newest first, as they come. */
export function RunsPage({ filters }: { readonly filters: Filters }) {
  const key = JSON.stringify(filters);
  const [turn, setTurn] = useState(0);
  const query = useMemo(() => runQueryOf(filters, Date.now()), [key, turn]);
  return (
    <main>
      <h1 class="unseen">Runs</h1>
      <FilterBar filters={filters} onFilters={(changed) => goTo({ page: 'runs', filters: changed })} />
      {'problem' in query ? (
        <p class="notice bad" role="alert">
          This address cannot be read: {query.problem}
        </p>
      ) : (
        <RunList key={turn} filters={filters} query={query} onAnew={() => setTurn((count) => count + 1)} />
      )}
    </main>
  );
}
