import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'reenact-golden-'));

/** Which agent each recording is of. */
const agents: Readonly<Record<string, { readonly directory: string; readonly script: string }>> = {
  'bare-model-calls': { directory: 'test/scenarios/small/agent', script: 'bare-model-calls.ts' },
  crash: { directory: 'test/scenarios/small/agent', script: 'crash.ts' },
  'exit-now': { directory: 'test/scenarios/small/agent', script: 'exit-now.ts' },
  'failing-tool': { directory: 'test/scenarios/small/agent', script: 'failing-tool.ts' },
  parallel: { directory: 'test/scenarios/small/agent', script: 'parallel.ts' },
  trading: { directory: 'test/scenarios/trading/agent', script: 'app.ts' },
};

const recordings = readdirSync(join(root, 'test/fixtures/runs/v1')).filter((name) => name.endsWith('.otlp.jsonl'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('golden recordings', () => {
  it('each have their agent', () => {
    expect(recordings.map((name) => name.replace('.otlp.jsonl', '')).sort()).toEqual(Object.keys(agents).sort());
  });

  it.each(recordings)('%s replays with nothing compared left out and nothing different', async (name) => {
    const agent = agents[name.replace('.otlp.jsonl', '')];
    const file = join(root, 'test/fixtures/runs/v1', name);
    const command = [
      process.execPath,
      join(root, 'packages/reenact/bin/reenact.mjs'),
      'replay',
      file,
      '--json',
      '--',
      process.execPath,
      agent?.script ?? '',
    ];
    const environment = {
      ...bareEnvironment(),
      HOME: folder,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      TRADING_LEDGER: join(folder, 'ledger.sqlite'),
    };
    const result = await runCommand(command, { cwd: join(root, agent?.directory ?? '.'), environment });
    expect(`${result.exitCode} ${result.exitCode === 0 ? '' : result.stdout + result.stderr}`).toBe('0 ');
    const report = JSON.parse(result.stdout) as { verdict: string; counts: { compared: number; unconsumed: number } };
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { unconsumed: 0 } });
    expect(report.counts.compared).toBeGreaterThan(0);
  });
});
