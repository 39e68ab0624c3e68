import type { Drift } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { DRIFT_OUTCOMES_SHOWN_MAX } from '../limits.ts';
import { printDrift } from './print-drift.ts';

const at = '2026-12-01T04:50:46.000Z';

function linesOf(outcomeCount: number): string[] {
  const outcomes = Array.from({ length: outcomeCount }, (_, index): Drift['outcomes'][number] => ({
    outcome: `sha256:${index}`,
    crossings: 2,
    firstAt: at,
    lastAt: at,
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    by: { commit: [], model: [], fingerprint: [], region: [] },
  }));
  const drift = { kind: 'tool', name: 'draw', input: 'sha256:0', crossings: 2 * outcomeCount, firstAt: at, lastAt: at };
  const lines: string[] = [];
  const out = (text: string): void => void lines.push(text);
  printDrift(
    { ...drift, outcomes, explainedBy: [] },
    { out, err: out, data: out, colour: false, columns: 80, wraps: false },
  );
  return lines;
}

describe('an input with many outcomes', () => {
  it('is printed with the most frequent ones, and how many others there are', () => {
    const lines = linesOf(DRIFT_OUTCOMES_SHOWN_MAX + 3);
    expect(lines.filter((line) => line.includes('× outcome'))).toHaveLength(DRIFT_OUTCOMES_SHOWN_MAX);
    expect(lines.at(-2)).toBe('  … and 3 other outcomes of 6 crossings: --json has all');
  });

  it('is printed whole where there are no more', () => {
    expect(linesOf(DRIFT_OUTCOMES_SHOWN_MAX).join()).not.toContain('…');
  });
});
