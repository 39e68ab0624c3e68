import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await setSmallStage();
  folder = mkdtempSync(join(tmpdir(), 'reenact-clients-'));
});
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true });
});

interface Broker {
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<unknown>;
}

async function overHttp(): Promise<Broker> {
  const broker = await stage.start(['--no-warnings', 'broker.ts', 'http']);
  return { environment: { BROKER_URL: broker.firstLine }, stop: () => broker.stop() };
}

async function overStdio(): Promise<Broker> {
  return { environment: {}, stop: async () => undefined };
}

describe('an agent with an MCP server and a database', () => {
  it.each([
    ['stdio', overStdio],
    ['HTTP', overHttp],
  ])('replays with neither, its tools live over what they ask: %s', async (transport, start) => {
    const ledger = join(folder, `${transport}.sqlite`);
    const broker = await start();
    const environment = { LEDGER: ledger, ...broker.environment };
    const { run, recorded } = await recordRun(stage, 'shares.ts', environment);
    await broker.stop();
    const [ordered] = JSON.parse(`[${recorded.stdout}]`) as unknown[];
    expect(ordered).toMatchObject({
      ordered: {
        tools: ['quote', 'never'],
        server: 'broker',
        quote: { price: 21 },
        aborted: expect.stringContaining('enough'),
      },
      lastInsertRowid: 1,
      rows: [{ id: 1, shares: 3 }],
    });
    rmSync(ledger);
    // Nothing is left to talk to, and the guard refuses what would start a process or open a file.
    for (const flags of [[], ['--live', 'tool:order']]) {
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'shares.ts', { flags, environment });
      expect(report.divergences).toEqual([]);
      expect([report.verdict, result.exitCode]).toEqual(['reproduced', 0]);
      expect(result.stderr).toContain(recorded.stdout.trim());
    }
    expect(existsSync(ledger)).toBe(false);
  });
});

describe('an agent whose databases are closed when its run is over', () => {
  it('goes on behind that in a replay, too', async () => {
    const environment = { FOLDER: folder };
    const recorded = await stage.node(['--import', 'reenact/register', 'closed-after.ts'], environment);
    const run = (await listRuns(stage)).find(({ name }) => name === 'agent:reads');
    expect([recorded.exitCode, recorded.stdout]).toEqual([0, 'closed [null,true]\n']);
    for (const file of ['ledger.db', 'other.db']) rmSync(join(folder, file));
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'closed-after.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining(recorded.stdout.trim())]);
    expect(['ledger.db', 'other.db'].filter((file) => existsSync(join(folder, file)))).toEqual([]);
  });
});
