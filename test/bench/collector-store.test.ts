import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import type { BenchResult } from './bench-result.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = bareEnvironment();
const command = [process.execPath, '--conditions=@reenact/source', 'collector-store.ts', '--smoke', '--json'];

describe('the benchmarks of the store', () => {
  it('still run, and measure what they name', { timeout: 180_000 }, async () => {
    const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
    expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
    const { isSmoke, results } = JSON.parse(stdout) as { isSmoke: boolean; results: BenchResult[] };
    expect(isSmoke).toBe(true);
    expect(results.map(({ name }) => name)).toEqual(['latency', 'rate', 'size', 'rehydrate', 'lookup']);
    for (const { name, figures } of results) {
      expect(
        figures.every(({ value }) => Number.isFinite(value)),
        name,
      ).toBe(true);
      expect(
        figures.some(({ goal }) => goal !== undefined),
        name,
      ).toBe(true);
    }
  });
});
