import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import type { BenchResult } from './bench-result.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = { ...bareEnvironment(), REENACT_REDACTION_KEY: 'a bench key' };

describe('the benchmark of redaction', () => {
  it('still runs, and finds nothing in what holds no secret', async () => {
    const command = [process.execPath, '--conditions=@reenact/source', 'redaction.ts', '--smoke', '--json'];
    const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
    expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
    const { isSmoke, results } = JSON.parse(stdout) as { isSmoke: boolean; results: BenchResult[] };
    const figures = results.flatMap((result) => result.figures);
    expect([isSmoke, figures.length]).toEqual([true, 12]);
    expect(figures.filter(({ name }) => name.startsWith('500 events of'))).toHaveLength(3);
    expect(figures.every(({ value }) => Number.isFinite(value))).toBe(true);
  }, 120_000);
});
