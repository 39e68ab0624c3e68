import { humanDuration } from '@reenact/trace-model/words';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RowSearchBar } from './row-search-bar.tsx';
import { foundSpans, type RowSearch, rowsAround, type Timeline, unfoldedRows } from './timeline-layout.ts';
import { TimelineRowView } from './timeline-row-view.tsx';

/** Of fewer rows, all are in sight. */
const ROWS_TO_SEARCH_MIN = 12;

/** So many rows are drawn, around the one that is looked at, until somebody wants all. */
const ROWS_DRAWN = 1000;

interface TimelineProps {
  readonly timeline: Timeline;
  readonly selected: string | undefined;
  readonly onSelect: (spanId: string) => void;
}

function Axis({ timeline }: { readonly timeline: Timeline }) {
  return (
    <div class="axis" aria-hidden="true">
      <div class="ticks">
        {timeline.ticks.map(({ at, ms }) => (
          <span key={ms} class="tick" style={{ left: `${at * 100}%` }}>
            {ms === 0 ? '0' : humanDuration(ms).replace(' 0 s', '')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The place to go to from a row by a key; undefined where the key leads nowhere. */
function nextPlace(key: string, at: number, count: number): number | undefined {
  const places: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
  const place = places[key];
  return place === undefined || place < 0 || place >= count ? undefined : place;
}

function toggled(folded: ReadonlySet<string>, spanId: string, isFolded = !folded.has(spanId)): Set<string> {
  const changed = new Set(folded);
  if (isFolded) changed.add(spanId);
  else changed.delete(spanId);
  return changed;
}

/** The row that something within a tree belongs to. */
function rowAround(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>('[data-span]')) || undefined;
}

/** Brings a row into sight; where its tree scrolls by itself, the page does not. */
function showRow(row: HTMLElement, mayPageScroll: boolean): void {
  const tree = row.closest('.tree');
  if (tree === null || getComputedStyle(tree).overflowY !== 'auto') {
    if (mayPageScroll) row.scrollIntoView({ block: 'nearest' });
    return;
  }
  const [seen, own] = [tree.getBoundingClientRect(), row.getBoundingClientRect()];
  const headHeight = tree.querySelector('.head')?.getBoundingClientRect().height ?? 0;
  const above = seen.top + headHeight - own.top;
  const below = own.bottom - seen.bottom;
  if (above > 0) tree.scrollTop -= above;
  else if (below > 0) tree.scrollTop += below;
}

/** Where the rows that are drawn begin: they stay as long as the one at `at` is among them, and else are those around it. */
function useFirstDrawn(at: number, count: number): number {
  const first = useRef(0);
  const isDrawn = at < 0 ? first.current < count : at >= first.current && at < first.current + ROWS_DRAWN;
  if (!isDrawn) first.current = Math.max(0, at - ROWS_DRAWN / 2);
  return first.current;
}

/**
 * Brings the row that is looked at into sight, also where others are `shown` around it. What is given back says whether keys chose it: they go on there,
 * once it is drawn.
 */
function useRowInSight(
  list: RefObject<HTMLElement | null>,
  selected: string | undefined,
  shown: unknown,
): { current: boolean } {
  const isOpened = useRef(false);
  const isByKeys = useRef(false);
  useLayoutEffect(() => {
    const row = list.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(selected ?? '')}"]`);
    // A page that scrolls as a whole opens at its beginning: what failed and how it is replayed stand there.
    if (row) showRow(row, isOpened.current);
    isOpened.current = true;
    if (isByKeys.current) row?.focus({ preventScroll: true });
    isByKeys.current = false;
  }, [selected, shown]);
  return isByKeys;
}

/** The rows that are left of a tree, where some were looked for and others folded away. */
function useShownRows({ rows }: Timeline) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState<RowSearch>({ words: '', isFailedOnly: false });
  const found = useMemo(() => foundSpans(rows, search), [rows, search]);
  const all = useMemo(
    () => unfoldedRows(found === undefined ? rows : rowsAround(rows, found), folded),
    [rows, folded, found],
  );
  const look = (changed: RowSearch): void => {
    setSearch(changed);
    // What is found is seen, also where it was folded away.
    setFolded(new Set());
  };
  return { search, found, all, folded, setFolded, look };
}

/** The crossings of a run in time. Arrow keys go up and down, and fold and unfold. */
export function TimelineView({ timeline, selected, onSelect }: TimelineProps) {
  const { search, found, all, folded, setFolded, look } = useShownRows(timeline);
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const at = all.findIndex(({ node }) => node.spanId === selected);
  const first = useFirstDrawn(at, all.length);
  const rows = isWhole ? all : all.slice(first, first + ROWS_DRAWN);
  // The one that is looked at may not be among them: folded away, or of another run.
  const entrance = rows.find(({ node }) => node.spanId === selected) ?? rows[0];
  const isByKeys = useRowInSight(list, selected, found);
  const onClick = (event: MouseEvent): void => {
    const spanId = rowAround(event.target)?.dataset.span;
    if (spanId === undefined) return;
    if (event.target instanceof Element && event.target.closest('button') !== null) setFolded(toggled(folded, spanId));
    else onSelect(spanId);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = all[at];
    if (row?.hasChildren && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      setFolded(toggled(folded, row.node.spanId, event.key === 'ArrowLeft'));
      event.preventDefault();
      return;
    }
    const next = all[nextPlace(event.key, at, all.length) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    isByKeys.current = true;
    onSelect(next.node.spanId);
  };
  const goToFound = (): void => {
    const spanId = all.find(({ node }) => found?.has(node.spanId) === true)?.node.spanId;
    isByKeys.current = spanId !== undefined && spanId !== selected;
    if (spanId !== undefined) onSelect(spanId);
  };
  const showAll = (
    <button type="button" onClick={() => setIsWhole(true)}>
      Show all {all.length} crossings
    </button>
  );
  return (
    <div class="timeline">
      <div class="head">
        {timeline.rows.length < ROWS_TO_SEARCH_MIN ? null : (
          <RowSearchBar search={search} foundCount={found?.size} onSearch={look} onGo={goToFound} />
        )}
        <Axis timeline={timeline} />
      </div>
      {!isWhole && first > 0 ? showAll : null}
      <div
        class="rows"
        role="tree"
        aria-label="Crossings of this run"
        ref={list}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        {rows.map((row) => (
          <TimelineRowView
            key={row.node.spanId}
            row={row}
            isSelected={row.node.spanId === selected}
            isEntrance={row === entrance}
            isFolded={folded.has(row.node.spanId)}
          />
        ))}
      </div>
      {!isWhole && first + rows.length < all.length ? showAll : null}
    </div>
  );
}
