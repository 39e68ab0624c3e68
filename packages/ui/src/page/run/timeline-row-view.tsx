import { humanDuration } from '@reenact/trace-model/words';
import { Component } from 'preact';
import { crossingState, hasReturnedError } from './crossing-state.ts';
import type { TimelineRow } from './timeline-layout.ts';
import { TokensText } from './tokens-text.tsx';

interface RowProps {
  readonly row: TimelineRow;
  readonly isSelected: boolean;
  /** Whether the Tab key leads here. */
  readonly isEntrance: boolean;
  readonly isFolded: boolean;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}

function Fold({ row, isFolded }: Pick<RowProps, 'row' | 'isFolded'>) {
  if (!row.hasChildren) return <span class="fold" />;
  const label = isFolded ? 'Show what is inside' : 'Fold away what is inside';
  return (
    <button type="button" class="fold" tabIndex={-1} aria-label={label}>
      {isFolded ? '▸' : '▾'}
    </button>
  );
}

/** One crossing in time. Drawn anew only where it changes, for a key is pressed faster than thousands of rows are drawn; the tree around it takes clicks and keys. */
export class TimelineRowView extends Component<RowProps> {
  override shouldComponentUpdate(next: Readonly<RowProps>): boolean {
    const { row, isSelected, isEntrance, isFolded } = this.props;
    const isSame = row === next.row && isSelected === next.isSelected && isFolded === next.isFolded;
    return !isSame || isEntrance !== next.isEntrance;
  }

  override render() {
    const { row, isSelected, isEntrance, isFolded } = this.props;
    const { node, depth, start, length, tokens } = row;
    const state = crossingState(node);
    // What came back as an error begins with the mark of one where it says what that was.
    const isTold = state === 'error' && (!hasReturnedError(node) || node.output.startsWith('✗'));
    return (
      <div
        role="treeitem"
        class={`row ${isSelected ? 'selected' : ''} ${state}`}
        aria-level={depth + 1}
        aria-selected={isSelected}
        aria-expanded={row.hasChildren ? !isFolded : undefined}
        tabIndex={isEntrance ? 0 : -1}
        data-span={node.spanId}
      >
        <span class="what" style={{ paddingInlineStart: `${depth}rem` }}>
          <Fold row={row} isFolded={isFolded} />
          <span class={`kind ${node.kind}`}>{node.kind}</span>{' '}
          <span class="name" title={node.path}>
            {node.name}
          </span>
          {node.service === undefined ? null : (
            <span class="badge" title={`In the service ${node.service}`}>
              {node.service}
            </span>
          )}
        </span>
        <span class="when">
          <span class={`bar ${node.kind} ${state}`} style={{ left: percent(start), width: percent(length) }} />
        </span>
        <span class="took">{node.durationMs === undefined ? '…' : humanDuration(node.durationMs)}</span>
        <span class="said" style={{ paddingInlineStart: `${depth + 1.3}rem` }}>
          {state === 'error' ? (
            <strong class="bad">{(isTold && node.output) || (node.errorType ?? node.outcome)}</strong>
          ) : null}
          <span class="in">{node.input}</span>
          {isTold || node.output === '' ? null : <span class="out">→ {node.output}</span>}
          {tokens === undefined ? null : <TokensText tokens={tokens} />}
        </span>
      </div>
    );
  }
}
