import { diffRecordings, type RecordingDiff } from '@reenact/recordings';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { renderDiff } from './render-diff.ts';
import { renderDiffMarkdown } from './render-diff-markdown.ts';

const quote: CrossingPlan = { label: 'tool:get_quote', input: [{ symbol: 'ACME' }], output: { price: 190 } };
const order: CrossingPlan = { label: 'tool:place_order', input: [{ shares: 1_000 }], output: { orderId: 1 } };
const risk: CrossingPlan = { label: 'agent:risk', input: ['x'], output: 'low', children: [quote, order] };

function diff(left: readonly CrossingPlan[], right: readonly CrossingPlan[]): RecordingDiff {
  const [first, second] = [left, right].map((children) => {
    const recording = buildRecording({ label: 'agent:trader', children, output: 'done' });
    return { recording, rootSpanId: recording.roots[0]?.spanId ?? '' };
  });
  if (first === undefined || second === undefined) throw new RangeError('two recordings were built');
  return diffRecordings(first, second);
}

const incident = diff(
  [quote, quote, { label: 'guardrail:order-size', input: [1], output: { allowed: true } }, order],
  [quote, quote, { label: 'guardrail:order-size', input: [1], output: { allowed: false } }, risk],
);

describe('a comparison as text', () => {
  it('says first what differs first, then shows the tree and the totals', () => {
    const lines = renderDiff(incident, { color: false }).split('\n');
    expect(lines.slice(3)).toEqual([
      'Different: 3 steps differ.',
      'First: agent:trader/guardrail:order-size, outcome changed. The others may follow from it.',
      '',
      '  agent:trader',
      '  ├─ … 2 equal steps',
      '~ ├─ guardrail:order-size  outcome changed  ◀ first',
      '  │      outcome $.allowed',
      '  │        - true',
      '  │        + false',
      '+ └─ agent:risk  only in b, with 1 crossing inside',
      '>    └─ tool:place_order  moved from agent:trader/tool:place_order',
      '',
      'Crossings: 4 equal · 1 with a changed outcome · 2 only in b · 1 moved',
      '',
    ]);
  });

  it('says so where nothing differs, and shows no tree', () => {
    const text = renderDiff(diff([quote, risk], [quote, risk]), { color: false });
    expect(text).toContain('Equal: every step was compared, and none differs.');
    expect(text).not.toContain('├─');
  });

  it('is no wider than the terminal that it goes to', () => {
    const widthOf = (columns?: number) =>
      Math.max(
        ...renderDiff(incident, { color: false, columns })
          .split('\n')
          .map((line) => line.length),
      );
    expect(widthOf()).toBeGreaterThan(80);
    expect(widthOf(80)).toBeLessThanOrEqual(80);
  });

  it('is coloured only when asked', () => {
    expect(renderDiff(incident, { color: true })).toContain('\u001b[');
    expect(renderDiff(incident, { color: false })).not.toContain('\u001b[');
  });
});

describe('a comparison as Markdown', () => {
  it('shows what agents and recordings said as data', () => {
    const nasty = { ...quote, output: '`</td>| @everyone <script>' };
    const text = renderDiffMarkdown(diff([quote], [nasty]));
    expect(text).toContain('| outcome | `$` | `{"price":190}` | `` "`</td>\\| @everyone <script>" `` |');
    expect(text).toMatch(/^## Different: 1 step differs\.$/m);
  });
});
