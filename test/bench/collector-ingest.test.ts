import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import type { BenchResult } from './bench-result.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = bareEnvironment();

async function smoke(program: string): Promise<readonly BenchResult[]> {
  const command = [process.execPath, '--conditions=@reenact/source', program, '--smoke', '--json'];
  const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
  expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
  const { isSmoke, results } = JSON.parse(stdout) as { isSmoke: boolean; results: BenchResult[] };
  expect(isSmoke).toBe(true);
  return results;
}

// They read what processes cost from /proc.
describe.skipIf(process.platform !== 'linux')('the benchmarks of ingest', () => {
  it('still run, with the peers that are there, and measure what they name', { timeout: 240_000 }, async () => {
    const results = await smoke('collector-ingest.ts');
    expect(results.map(({ name }) => name)).toEqual(['large', 'small', 'later']);
    for (const { name, figures } of results) {
      const isFound = figures.every(({ value }) => Number.isFinite(value) && value > 0);
      expect(isFound, name).toBe(true);
      if (name === 'later') continue;
      const own = figures.filter(({ name: figure }) => figure.endsWith(', Reenact'));
      expect(own.map(({ name: figure }) => figure).slice(0, 3), name).toEqual([
        'http-protobuf, Reenact',
        'http-json, Reenact',
        'grpc, Reenact',
      ]);
    }
  });

  it('still offer more than is taken, and count what was acknowledged', { timeout: 240_000 }, async () => {
    const results = await smoke('collector-overload.ts');
    expect(results.map(({ name }) => name)).toEqual(['http', 'grpc']);
    for (const { name, figures } of results) {
      const measured = (figure: string) => figures.find(({ name: label }) => label.startsWith(figure))?.value;
      expect(measured('acknowledged spans that are not there'), name).toBe(0);
      expect(measured('peak memory at 80 %'), name).toBeGreaterThan(10);
    }
  });
});
