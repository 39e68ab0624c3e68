import type { RunSummary } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { printRun, printRunRows } from './run-rows.ts';

const ended: RunSummary = {
  traceId: 'ab'.repeat(16),
  rootSpanId: 'cd'.repeat(8),
  name: 'agent:trader',
  origin: 'recorded',
  service: 'desk',
  startedAt: '2026-01-02T03:04:05.000Z',
  durationMs: 1500,
  status: 'ok',
  spanCount: 2,
  crossingCount: 2,
  errorCount: 0,
  models: [],
  inputTokens: 0,
  outputTokens: 0,
  usage: [],
  replayability: { verdict: 'full', missing: [] },
};

function linesOf(run: RunSummary, columns: number, wraps: boolean): string[] {
  const lines: string[] = [];
  const out = (text: string): void => void lines.push(text);
  printRunRows([run], { out, err: out, data: out, colour: false, columns, wraps });
  return lines;
}

function rowOf(run: RunSummary): string[] {
  return (linesOf(run, 200, true)[1] ?? '').split(/ {2,}/);
}

describe('a row of a run', () => {
  it('names the errors of a run that failed', () => {
    const failed: RunSummary = { ...ended, status: 'error', errorTypes: ['BankError', 'Late'] };
    expect(rowOf(failed)).toContain('agent:trader (BankError and 1 more)');
    expect(rowOf({ ...failed, errorTypes: ['BankError'] })).toContain('agent:trader (BankError)');
    expect(rowOf({ ...failed, status: 'ok' })).toContain('agent:trader');
  });

  it('says no tokens where none are known', () => {
    expect(rowOf(ended).join(' ')).not.toContain('→');
    expect(rowOf({ ...ended, inputTokens: 12, outputTokens: 3 })).toContain('12→3');
  });

  it('says how long it took, and nothing of one that has not ended', () => {
    expect(rowOf(ended)).toContain('1.5 s');
    const pending = rowOf({ ...ended, durationMs: 0, isPending: true });
    expect(pending).toContain('agent:trader (pending)');
    expect(pending.filter((cell) => cell.endsWith('s'))).toEqual([]);
  });

  it('is lines of their own where the terminal is too narrow for it, and one line in a pipe of any width', () => {
    const long: RunSummary = {
      ...ended,
      name: `agent:${'a'.repeat(60)}`,
      kept: 'why',
      inputTokens: 12,
      outputTokens: 3,
    };
    expect(linesOf(long, 60, true)).toEqual([
      `2026-01-02 03:04:05  ✓  agent:${'a'.repeat(29)}…`,
      '  kept · desk · 2 crossings · 12→3 tokens · 1.5 s · full',
      '  cdcdcdcdcdcdcdcd',
    ]);
    expect(linesOf(long, 60, false)).toHaveLength(2);
  });

  it('says what it was about: below it on a terminal, as far as there is room, and behind it in a pipe', () => {
    const run: RunSummary = { ...ended, asked: 'Sell Ada?', answered: `✗ BankError: ${'no '.repeat(60)}` };
    const margin = ' '.repeat(24);
    const [, , about = ''] = linesOf(run, 140, true);
    expect(about.startsWith(`${margin}Sell Ada? → ✗ BankError: no no`)).toBe(true);
    expect(about).toHaveLength(140);
    expect(about.endsWith('…')).toBe(true);
    expect(linesOf(run, 40, true).at(-1)).toMatch(/^ {2}Sell Ada\? → ✗ BankError: .*…$/);
    const [heading = '', piped = ''] = linesOf(run, 100, false);
    expect(heading.endsWith('  about')).toBe(true);
    expect(piped.endsWith(`cdcdcdcdcdcdcdcd  Sell Ada? → ${run.answered?.trimEnd()}`)).toBe(true);
    const long = linesOf({ ...run, asked: 'Sell '.repeat(60) }, 140, true).at(-1) ?? '';
    expect(long.indexOf('… → ✗ BankError: no')).toBe(margin.length + (140 - margin.length) / 2 - 1);
    expect(linesOf({ ...ended, answered: 'sold' }, 140, true).at(-1)).toBe(`${margin}→ sold`);
  });

  it('says what each number is where no heading stands above, in lines of its own in a narrow terminal', () => {
    const lines: string[] = [];
    const out = (text: string): void => void lines.push(text);
    const terminal = { out, err: out, data: out, colour: false, wraps: true };
    printRun(ended, { ...terminal, columns: 60 });
    printRun(ended, { ...terminal, columns: 200 });
    expect(lines).toEqual([
      '2026-01-02 03:04:05  ✓  agent:trader',
      '  desk · 2 crossings · 1.5 s · full · cdcdcdcdcdcdcdcd',
      '2026-01-02 03:04:05  ✓  agent:trader  desk  2 crossings  1.5 s  full  cdcdcdcdcdcdcdcd',
    ]);
  });
});
