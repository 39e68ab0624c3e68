import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCommand } from '../scenarios/run-command.ts';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { collectorWithout } from './collector-without.ts';
import { replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/set-up/agent', import.meta.url).pathname;
const asked: string[] = [];
let flags: Server;
let flagsUrl: string;
let stage: Stage;
let service: RunningCommand;
let database: string;
let fixture: string;
/** The roots of the two requests that one process answered. */
let roots: string[];

function makeDatabase(path: string): void {
  const made = new DatabaseSync(path);
  made.exec('CREATE TABLE settings (tenant TEXT, name TEXT, value TEXT); CREATE TABLE starts (at TEXT)');
  made.exec("INSERT INTO settings VALUES ('acme', 'limit', '1000'), ('other', 'limit', '5')");
  made.close();
}

async function ask(port: number, symbol: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/ask`, { method: 'POST', body: symbol });
  return response.json();
}

/** How often the greeting was read until then. */
async function polledAgain(times: number): Promise<void> {
  const target = asked.length + times;
  while (asked.length < target) await new Promise((resolve) => flags.once('request', resolve));
}

/** The requests among what the collector has, the first one first. */
function requestsOf(runs: readonly RunSummary[]): string[] {
  const requests = runs.filter(({ name, replayId }) => name === 'agent:POST /ask' && replayId === undefined);
  return requests.map(({ rootSpanId }) => rootSpanId).reverse();
}

beforeAll(async () => {
  flags = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('Hello');
  });
  await new Promise<void>((resolve) => flags.listen(0, '127.0.0.1', resolve));
  flagsUrl = `http://127.0.0.1:${(flags.address() as AddressInfo).port}`;
  const environment = (folder: string) => ({ FLAGS_URL: flagsUrl, DATABASE: join(folder, 'app.db'), WARM_UP: '1' });
  stage = await setStage({ agentFolder, environment });
  database = join(stage.folder, 'app.db');
  fixture = join(stage.folder, 'second.otlp.jsonl');
  makeDatabase(database);
  service = await stage.start(['--import', 'reenact/register', 'service.ts']);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  expect(await ask(port, 'ACME')).toMatchObject({ answer: 'Hello: ACME at 190, at most 1000' });
  await polledAgain(3);
  expect(await ask(port, 'BETA')).toMatchObject({ answer: 'Hello: BETA at 190, at most 1000' });
  // Crossings are handed over in the background while the service goes on.
  roots = await runsOnceThere(stage, (runs) => {
    const requests = requestsOf(runs);
    return requests.length < 2 ? undefined : requests;
  });
});

afterAll(async () => {
  await service.stop();
  await stage.stop();
  flags.closeAllConnections();
  flags.close();
});

async function replay(
  id: string,
  environment: NodeJS.ProcessEnv = {},
  sent: readonly string[] = [],
): Promise<ReplayReport> {
  const { report, result } = await replayAsJson(stage, id, 'service.ts', { environment, flags: sent });
  expect(result.exitCode).toBe(report.exitCode);
  return report;
}

function starts(): number {
  const opened = new DatabaseSync(database, { readOnly: true });
  const { count } = opened.prepare('SELECT count(*) AS count FROM starts').get() as { count: number };
  opened.close();
  return count;
}

describe('a service that opened its database and read flags before its requests, and still runs', () => {
  it('answers the second request again as it did, its set-up included, once', async () => {
    const report = await replay(roots[1] ?? '', { PRICE: '7' });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.counts).toMatchObject({ recorded: 2, rerun: 1, stubbed: 1, refused: 0 });
    expect(report.setUp).toMatchObject({ live: 0, refused: 0, notMade: [], notMadeTotal: 0 });
    expect(report.setUp?.recorded).toBeGreaterThan(7);
    expect(starts()).toBe(1);
  });

  it('says that nothing answers what it closes when it is stopped, and that the run is not touched by it', async () => {
    const report = await replay(roots[1] ?? '', { CLOSES: '1' });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(JSON.stringify(report.notes)).toContain('database:sqlite.close was called after agent:POST /ask had ended');
  });

  it('is exported with it, and replays without collector, database and flags', async () => {
    const exported = await stage.reenact(['export', roots[1] ?? '', '--out', fixture]);
    expect(exported.stdout).toMatch(/set-up: \d+ calls of the program before agent:POST \/ask, \d+ of them held here/);
    const shown = await stage.reenact(['show', roots[1] ?? '']);
    expect(shown.stdout).toMatch(/set-up: \d+ calls of the program before agent:POST \/ask: reenact show [0-9a-f]{32}/);
    const nowhere = { REENACT_COLLECTOR: 'http://127.0.0.1:9', DATABASE: '/nowhere/app.db' };
    const report = await replay(fixture, nowhere);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], setUp: { refused: 0, notMade: [] } });
    expect(report.setUp?.held).toBeGreaterThan(7);
    expect(existsSync('/nowhere')).toBe(false);
  });

  it('says what of its set-up was asked otherwise, and what was not asked', async () => {
    const report = await replay(roots[0] ?? '', { TENANT: 'other', WARM_UP: undefined });
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['input-changed', 'agent:process/database:sqlite.query#2'],
    ]);
    expect(report.setUp).toMatchObject({ notMadeTotal: 1, notMade: [expect.stringContaining('/http:GET 127.0.0.1')] });
    expect(report.outcome?.equal).toBe(true);
    const printed = await stage.reenact(['replay', roots[0] ?? '', '--', 'node', 'service.ts'], { WARM_UP: undefined });
    expect(printed.stdout).toMatch(/Before the run: \d+ calls of the program recorded/);
    expect(printed.stdout).toMatch(/1 not made:\sagent:process\/http:GET/);
  });

  it('refuses a call before the run that was not recorded', async () => {
    const before = asked.length;
    const report = await replay(roots[0] ?? '', { EXTRA: '1' });
    expect(report.divergences).toMatchObject([{ kind: 'never-recorded', path: 'agent:process/tool:extra' }]);
    expect(report).toMatchObject({ exitCode: 1, setUp: { refused: 1 }, counts: { refused: 0 } });
    expect(report.divergences[0]?.message).toContain('had not made this call before that began');
    const polls = asked.slice(before).filter((url) => url === '/warm-up');
    expect(polls).toEqual([]);
  });

  it('lets one go live that is named', async () => {
    const before = asked.length;
    const warmUp = `agent:process/http:GET ${new URL(flagsUrl).host}#2`;
    const report = await replay(roots[0] ?? '', {}, ['--live', warmUp]);
    expect(report).toMatchObject({ exitCode: 0, setUp: { live: 1, refused: 0 }, counts: { live: 0 } });
    expect(asked.slice(before).filter((url) => url === '/warm-up')).toHaveLength(1);
  });
});

describe('a service that was killed', () => {
  it('replays all the same', async () => {
    await service.stop('SIGKILL');
    const report = await replay(roots[1] ?? '');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], setUp: { refused: 0, notMade: [] } });
  });

  it('refuses what is called before the run where the set-up is gone, and says so', async () => {
    const shown = await stage.reenact(['show', roots[1] ?? '', '--json']);
    const { setUps } = JSON.parse(shown.stdout) as { setUps: { traceId: string }[] };
    const lacking = await collectorWithout(stage, setUps[0]?.traceId ?? '');
    const { port } = lacking.address() as AddressInfo;
    const environment = { REENACT_COLLECTOR: `http://127.0.0.1:${port}` };
    const { report, result } = await replayAsJson(stage, roots[1] ?? '', 'service.ts', { environment });
    lacking.close();
    expect(report).toMatchObject({ setUp: { held: 0, stubbed: 0 } });
    expect(report.divergences[0]).toMatchObject({ kind: 'never-recorded', path: 'database:sqlite.prepare' });
    expect(result.stderr).toContain('could not be fetched');
    expect(starts()).toBe(1);
  });
});
