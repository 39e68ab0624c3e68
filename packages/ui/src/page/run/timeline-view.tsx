import { humanDuration } from '@reenact/trace-model/words';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Timeline, type TimelineRow, unfoldedRows } from './timeline-layout.ts';

/** More rows than this are shown only once somebody wants them. */
const ROWS_FIRST = 2_000;

interface TimelineProps {
  readonly timeline: Timeline;
  readonly selected: string | undefined;
  readonly onSelect: (spanId: string) => void;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}

function Axis({ timeline }: { readonly timeline: Timeline }) {
  return (
    <div class="axis" aria-hidden="true">
      {timeline.ticks.map(({ at, ms }) => (
        <span key={ms} class="tick" style={{ left: percent(at) }}>
          {ms === 0 ? '0' : humanDuration(ms)}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: TimelineRow;
  readonly isSelected: boolean;
  /** Whether the Tab key leads here. */
  readonly isEntrance: boolean;
  readonly isFolded: boolean;
  readonly onSelect: () => void;
  readonly onFold: () => void;
}

const failed: ReadonlySet<string> = new Set(['threw', 'failed']);

function Fold({ row, isFolded, onFold }: Pick<RowProps, 'row' | 'isFolded' | 'onFold'>) {
  if (!row.hasChildren) return <span class="fold" />;
  return (
    <button
      type="button"
      class="fold"
      tabIndex={-1}
      aria-label={isFolded ? 'Show what is inside' : 'Fold away what is inside'}
      onClick={(event) => {
        event.stopPropagation();
        onFold();
      }}
    >
      {isFolded ? '▸' : '▾'}
    </button>
  );
}

function RowView({ row, isSelected, isEntrance, isFolded, onSelect, onFold }: RowProps) {
  const { node, depth, start, length } = row;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const state = failed.has(node.outcome) ? 'error' : node.outcome;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys, as its pattern wants.
    <div
      ref={element}
      role="treeitem"
      class={`row ${isSelected ? 'selected' : ''} ${state}`}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={row.hasChildren ? !isFolded : undefined}
      tabIndex={isEntrance ? 0 : -1}
      data-span={node.spanId}
      onClick={onSelect}
    >
      <span class="what" style={{ paddingInlineStart: `${depth}rem` }}>
        <Fold row={row} isFolded={isFolded} onFold={onFold} />
        <span class={`kind ${node.kind}`}>{node.kind}</span>{' '}
        <span class="name" title={node.path}>
          {node.name}
        </span>
        {state === 'error' ? <span class="badge bad">{node.errorType ?? node.outcome}</span> : null}
      </span>
      <span class="when">
        <span class={`bar ${node.kind} ${state}`} style={{ left: percent(start), width: percent(length) }} />
      </span>
      <span class="took">{node.durationMs === undefined ? '…' : humanDuration(node.durationMs)}</span>
      <span class="said" style={{ paddingInlineStart: `${depth + 1.3}rem` }}>
        {node.input} {node.output === '' ? '' : `→ ${node.output}`}
      </span>
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

/** The crossings of a run in time. Arrow keys go up and down, and fold and unfold. */
export function TimelineView({ timeline, selected, onSelect }: TimelineProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const all = unfoldedRows(timeline.rows, folded);
  const rows = isWhole ? all : all.slice(0, ROWS_FIRST);
  // The one that is looked at may not be among them: folded away, beyond the first rows, or of another run.
  const entrance = rows.find(({ node }) => node.spanId === selected) ?? rows[0];
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
    list.current?.querySelector<HTMLElement>(`[data-span="${next.node.spanId}"]`)?.focus();
  };
  return (
    <div class="timeline">
      <Axis timeline={timeline} />
      <div class="rows" role="tree" aria-label="Crossings of this run" ref={list} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <RowView
            key={row.node.spanId}
            row={row}
            isSelected={row.node.spanId === selected}
            isEntrance={row === entrance}
            isFolded={folded.has(row.node.spanId)}
            onSelect={() => onSelect(row.node.spanId)}
            onFold={() => setFolded(toggled(folded, row.node.spanId))}
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
