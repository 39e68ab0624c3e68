import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { foundSpans, layTimeline, rowsAround, unfoldedRows } from './timeline-layout.ts';

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
    const minutes = (durationMs: number) =>
      layTimeline([node('one', 0, durationMs)]).ticks.map(({ ms }) => ms / 60_000);
    expect(minutes(3_000_000)).toEqual([0, 10, 20, 30, 40]);
    expect(minutes(181_000)).toEqual([0, 1, 2]);
    // Of "60 min" there would be room for "60 mi".
    expect(minutes(4_000_000)).toEqual([0, 20, 40]);
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

describe('foundSpans and rowsAround', () => {
  const said = (spanId: string, parentSpanId: string | undefined, facts: Partial<CrossingNode>): CrossingNode => ({
    ...node(spanId, 0, 1, parentSpanId),
    kind: 'tool',
    outcome: 'returned',
    ...facts,
  });
  const { rows } = layTimeline([
    said('root', undefined, { kind: 'agent', name: 'clerk' }),
    said('find', 'root', { name: 'find_order', input: 'Order 4711' }),
    said('wire', 'find', { kind: 'http', name: 'GET shop', outcome: 'threw' }),
    said('mail', 'root', { name: 'mail', output: 'sent', errorType: 'tool_error' }),
  ]);
  const idsOf = (words: string, isFailedOnly = false): string[] => {
    const found = foundSpans(rows, { words, isFailedOnly });
    return found === undefined ? ['all'] : rowsAround(rows, found).map((row) => row.node.spanId);
  };

  it('finds rows by each word of what they say, whatever its case, and shows what is around them', () => {
    expect(idsOf('order 4711 FIND')).toEqual(['root', 'find']);
    expect(idsOf('http')).toEqual(['root', 'find', 'wire']);
    expect(idsOf('order sent')).toEqual([]);
    expect(idsOf('  ')).toEqual(['all']);
  });

  it('finds what failed, also what came back as an error', () => {
    expect(idsOf('', true)).toEqual(['root', 'find', 'wire', 'mail']);
    expect(idsOf('mail', true)).toEqual(['root', 'mail']);
    expect(idsOf('clerk', true)).toEqual([]);
  });
});
