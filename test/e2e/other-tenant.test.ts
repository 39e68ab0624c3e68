import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/small/agent', import.meta.url).pathname;
const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');
const operator = { REENACT_TOKEN: 'token-of-the-operator' };

let folder: string;
let stage: Stage;
let spanId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-tenants-'));
  const config = join(folder, 'collector.json');
  const tokens = [
    { name: 'shop', sha256: sha256('token-of-the-shop'), scopes: ['ingest', 'read'], tenant: 'shop' },
    { name: 'operator', sha256: sha256(operator.REENACT_TOKEN), scopes: ['admin'], otherTenants: ['*'] },
  ];
  await writeFile(config, JSON.stringify({ tokens }));
  const environment = () => ({
    OTEL_SERVICE_NAME: 'small',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-of-the-shop',
    REENACT_TOKEN: 'token-of-the-shop',
  });
  stage = await setStage({ agentFolder, environment, collectFlags: ['--config', config] });
  spanId = (await recordRun(stage, 'failing-tool.ts')).run.rootSpanId;
});

afterAll(async () => {
  await stage.stop();
  await rm(folder, { recursive: true });
});

describe('a token that may name other tenants', () => {
  it('reads as its own tenant where none is named', async () => {
    const { exitCode, stderr } = await stage.reenact(['show', spanId], operator);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('not-found')]);
  });

  it('is told whose runs there are none of, and how others are read', async () => {
    const own = await stage.reenact(['runs'], operator);
    expect(own.stdout).toMatch(/^No runs yet of the tenant of this token\. .*--of-tenant/);
    const named = await stage.reenact(['runs', '--of-tenant', 'bank'], operator);
    expect(named.stdout).toMatch(/^No runs yet of the tenant "bank"\. .*--of-tenant/);
    const latest = await stage.reenact(['show', 'latest'], operator);
    expect(latest.stderr).toContain('the collector has no run of the tenant of this token');
  });

  it('lists, shows and exports what the named one has', async () => {
    const listed = await stage.reenact(['runs', '--json', '--of-tenant', 'shop'], operator);
    expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ rootSpanId: spanId }] });
    const shown = await stage.reenact(['show', spanId, '--of-tenant', 'shop'], operator);
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringContaining('order 7 is gone')]);
    const path = join(folder, 'run.otlp.jsonl');
    const exported = await stage.reenact(['export', spanId, '--out', path, '--of-tenant', 'shop'], operator);
    expect([exported.exitCode, await readFile(path, 'utf8')]).toEqual([0, expect.stringContaining(spanId)]);
  });

  it('replays what the one has that the environment names', async () => {
    const environment = { ...operator, REENACT_OF_TENANT: 'shop' };
    const { report } = await replayAsJson(stage, spanId, 'failing-tool.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });
});

it('a token that may not name other tenants is denied', async () => {
  const { exitCode, stderr } = await stage.reenact(['runs', '--of-tenant', 'bank']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/access-denied.*"shop".*tenant/)]);
});
