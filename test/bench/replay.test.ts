import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import type { BenchResult } from './bench-result.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = bareEnvironment();
const command = [process.execPath, '--conditions=@reenact/source', 'replay.ts'];

// Each contender and each start is a process.
const caseMs = 180_000;

describe('the benchmarks of replay', () => {
  it(
    'still run, and check what they replay',
    async () => {
      const { stdout, stderr, exitCode } = await runCommand([...command, '--smoke', '--json'], {
        cwd: folder,
        environment,
      });
      expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
      const { machine, isSmoke, results } = JSON.parse(stdout) as {
        machine: object;
        isSmoke: boolean;
        results: BenchResult[];
      };
      expect(isSmoke).toBe(true);
      expect(machine).toMatchObject({ node: process.version });
      expect(results.map(({ name }) => name)).toEqual(['overhead', 'crossings', 'fixtures', 'starts', 'http']);
      const values = results.flatMap(({ figures }) => figures.map(({ value }) => value));
      expect(values.length).toBeGreaterThan(15);
      expect(values.every((value) => Number.isFinite(value))).toBe(true);
      const withGoals = results.filter(({ figures }) => figures.some(({ goal }) => goal !== undefined));
      expect(withGoals.map(({ name }) => name)).toEqual(['overhead', 'crossings', 'fixtures', 'http']);
    },
    caseMs,
  );

  it('name what there is where something else is asked for', async () => {
    const { stderr, exitCode } = await runCommand([...command, 'speed'], { cwd: folder, environment });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('use overhead, crossings, fixtures, starts, http.');
  });
});
