import { humanDuration } from '@reenact/trace-model/words';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Timeline, unfoldedRows } from './timeline-layout.ts';
import { TimelineRowView } from './timeline-row-view.tsx';

/** More rows than this are shown only once somebody wants them. */
const ROWS_FIRST = 2_000;

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
            {ms === 0 ? '0' : humanDuration(ms)}
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

/** Whether a list is in a part of the page that scrolls by itself. */
function scrollsItself(list: Element | null): boolean {
  const around = list?.closest('.tree');
  return around !== null && around !== undefined && getComputedStyle(around).overflowY === 'auto';
}

/** The crossings of a run in time. Arrow keys go up and down, and fold and unfold. */
export function TimelineView({ timeline, selected, onSelect }: TimelineProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const all = useMemo(() => unfoldedRows(timeline.rows, folded), [timeline, folded]);
  const rows = isWhole ? all : all.slice(0, ROWS_FIRST);
  // The one that is looked at may not be among them: folded away, beyond the first rows, or of another run.
  const entrance = rows.find(({ node }) => node.spanId === selected) ?? rows[0];
  const elementOf = (spanId: string): HTMLElement | null | undefined =>
    list.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(spanId)}"]`);
  const isOpened = useRef(false);
  useEffect(() => {
    // Where the page scrolls as a whole, it opens at its beginning: what failed and how it is replayed stand there.
    const scrolls = isOpened.current || scrollsItself(list.current);
    isOpened.current = true;
    if (scrolls && selected !== undefined) elementOf(selected)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const onClick = (event: MouseEvent): void => {
    const spanId = rowAround(event.target)?.dataset.span;
    if (spanId === undefined) return;
    const isFold = event.target instanceof Element && event.target.closest('button') !== null;
    if (isFold) setFolded(toggled(folded, spanId));
    else onSelect(spanId);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = rows.findIndex(({ node }) => node.spanId === selected);
    const row = rows[at];
    if (row?.hasChildren && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      setFolded(toggled(folded, row.node.spanId, event.key === 'ArrowLeft'));
      event.preventDefault();
      return;
    }
    const next = rows[nextPlace(event.key, at, rows.length) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.node.spanId);
    elementOf(next.node.spanId)?.focus({ preventScroll: true });
  };
  return (
    <div class="timeline">
      <Axis timeline={timeline} />
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
      {rows.length < all.length ? (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {all.length} crossings
        </button>
      ) : null}
    </div>
  );
}
