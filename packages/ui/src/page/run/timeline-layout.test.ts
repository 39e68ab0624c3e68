import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { layTimeline, unfoldedRows } from './timeline-layout.ts';

function node(spanId: string, startMs: number, durationMs?: number, parentSpanId?: string): CrossingNode {
  const startedAt = new Date(1_795_000_000_000 + startMs).toISOString();
  return { spanId, startedAt, durationMs, parentSpanId } as CrossingNode;
}

const nodes = [
  node('root', 0, 1000),
  node('tool', 100, 400, 'root'),
  node('inner', 200, 100, 'tool'),
  node('open', 750, undefined, 'root'),
];

describe('layTimeline', () => {
  it('gives each crossing its share of the whole time, and its depth', () => {
    const { rows, durationMs } = layTimeline(nodes);
    expect(durationMs).toBe(1000);
    expect(rows.map(({ node: { spanId }, depth, start, length }) => [spanId, depth, start, length])).toEqual([
      ['root', 0, 0, 1],
      ['tool', 1, 0.1, 0.4],
      ['inner', 2, 0.2, 0.1],
      ['open', 1, 0.75, 0.25],
    ]);
  });

  it('marks the axis in round steps', () => {
    expect(layTimeline(nodes).ticks.map(({ ms }) => ms)).toEqual([0, 200, 400, 600, 800]);
    expect(layTimeline([node('one', 0, 0.7)]).ticks.map(({ ms }) => ms.toFixed(1))).toEqual([
      '0.0',
      '0.2',
      '0.4',
      '0.6',
    ]);
  });

  it('takes a run that took no time, one without crossings, and one whose parts began before it by their clock', () => {
    expect(layTimeline([node('one', 0, 0)]).rows[0]).toMatchObject({ start: 0, length: 0 });
    expect(layTimeline([])).toEqual({ rows: [], ticks: [], durationMs: 0 });
    const early = layTimeline([node('root', 100, 100), node('other machine', 0, 50, 'root')]);
    expect(early.rows.map(({ start }) => start)).toEqual([0.5, 0]);
  });

  it('takes as many crossings as a run may have', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => node(String(index), index, 1));
    expect(layTimeline(many).rows).toHaveLength(200_000);
  });
});

describe('unfoldedRows', () => {
  it('leaves out all that is inside of a folded crossing', () => {
    const { rows } = layTimeline(nodes);
    const left = (folded: string[]) => unfoldedRows(rows, new Set(folded)).map(({ node: { spanId } }) => spanId);
    expect(left([])).toEqual(['root', 'tool', 'inner', 'open']);
    expect(left(['tool'])).toEqual(['root', 'tool', 'open']);
    expect(left(['root', 'tool'])).toEqual(['root']);
  });
});
