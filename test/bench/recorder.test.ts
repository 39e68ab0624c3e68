import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import type { BenchResult } from './bench-result.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = bareEnvironment();
const command = [process.execPath, '--conditions=@reenact/source', 'recorder.ts', '--smoke', '--json'];
const parts = ['crossing', 'parts', 'clients', 'first-byte', 'memory', 'outage'];

// Each instrumentation of a client is a process.
const caseMs = 180_000;

describe('the benchmarks of recording', () => {
  it(
    'still run, see to it that everybody exports what is measured, and give each part a figure',
    async () => {
      const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
      expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
      const { isSmoke, results } = JSON.parse(stdout) as { isSmoke: boolean; results: BenchResult[] };
      expect(isSmoke).toBe(true);
      expect(results.map(({ name }) => name)).toEqual(parts);
      const values = results.flatMap(({ figures }) => figures.map(({ value }) => value));
      expect(values.length).toBeGreaterThan(15);
      // One of three chunks may come with its neighbour in so short a run: then there is no ratio of whole streams.
      expect(values.filter((value) => !Number.isFinite(value)).length).toBeLessThanOrEqual(1);
      const withGoals = results.filter(({ figures }) => figures.some(({ goal }) => goal !== undefined));
      expect(withGoals.map(({ name }) => name)).toEqual(['crossing', 'clients', 'first-byte', 'outage']);
    },
    caseMs,
  );
});
