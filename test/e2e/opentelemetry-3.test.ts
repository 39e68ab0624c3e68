import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scenario = join(root, 'test-opentelemetry-3');

let folder: string;
let stage: Stage;
let prices: Server;
let requests = 0;

const copied = { recursive: true, dereference: true } as const;

/** What our packages bring of OpenTelemetry: version 2, beside them. All but the API, of which a process must have one. */
function nestOpenTelemetry(modules: string): void {
  const nested = join(modules, '@reenact/node_modules/@opentelemetry');
  for (const name of readdirSync(join(root, 'node_modules/@opentelemetry'))) {
    if (name !== 'api') cpSync(join(root, 'node_modules/@opentelemetry', name), join(nested, name), copied);
  }
  symlinkSync(join(modules, '@reenact/node_modules'), join(modules, 'reenact/node_modules'));
}

/** Installs our packages as npm does, whose peer is the API that the application has. */
function installInto(application: string): void {
  const modules = join(application, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (/^\.|^@(reenact|opentelemetry)$|^reenact$/.test(name)) continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(scenario, 'node_modules/@opentelemetry'), join(modules, '@opentelemetry'));
  for (const name of ['reenact', ...readdirSync(join(root, 'node_modules/@reenact')).map((own) => `@reenact/${own}`)]) {
    if (/\/test(-opentelemetry-3)?$/.test(name)) continue;
    const from = join(root, 'node_modules', name);
    // Copied: what they import is found beside them, and not in this repository.
    const filter = (path: string): boolean => !/\/(node_modules|src)$/.test(path.slice(from.length));
    cpSync(from, join(modules, name), { ...copied, filter });
  }
  nestOpenTelemetry(modules);
  cpSync(join(scenario, 'application.mjs'), join(application, 'application.mjs'));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-opentelemetry-3-'));
  installInto(folder);
  prices = createServer((_, response) => {
    requests += 1;
    response.end('190');
  });
  await new Promise<void>((resolve) => prices.listen(0, '127.0.0.1', resolve));
  const { port } = prices.address() as AddressInfo;
  const environment = { OTEL_SERVICE_NAME: 'third', PRICES: `http://127.0.0.1:${port}` };
  stage = await setStage({ agentFolder: folder, environment: () => environment });
});

afterAll(async () => {
  await stage.stop();
  await new Promise((resolve) => prices.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

describe('an app with a NodeSDK of OpenTelemetry 3', () => {
  it('is recorded by our processor, its own exporter seeing slim spans, and replayed with nothing asked again', async () => {
    const recorded = await stage.node(['application.mjs']);
    expect(recorded.exitCode, recorded.stderr).toBe(0);
    const host = JSON.parse(recorded.stderr) as { traceId: string; names: string[]; isSlim: boolean };
    expect(host.names).toEqual([
      'execute_tool look_up',
      expect.stringMatching(/^GET /),
      'invoke_agent trader',
      'request',
    ]);
    expect(host.isSlim).toBe(true);
    expect(requests).toBe(1);

    const command = [join(folder, 'node_modules/reenact/bin/reenact.mjs'), 'replay', host.traceId, '--json'];
    const replayed = await stage.node([...command, '--', 'node', 'application.mjs']);
    expect(replayed.exitCode, replayed.stderr).toBe(0);
    const report = JSON.parse(replayed.stdout) as ReplayReport;
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 2 } });
    expect(replayed.stderr).toContain(recorded.stdout.trim());
    expect(requests).toBe(1);
  });

  it('is recorded and replayed by the hook, whose provider is of OpenTelemetry 2 on the API of 3', async () => {
    const hooked = ['--import', 'reenact/register', '--input-type=module', '--eval'];
    const code = `import { tool } from 'reenact'; console.log(await tool('draw', async () => Math.random())());`;
    const recorded = await stage.node([...hooked, code]);
    expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await stage.reenact(['runs', '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { name: string; traceId: string }[] };
    const run = runs.find(({ name }) => name === 'agent:process');
    const command = [join(folder, 'node_modules/reenact/bin/reenact.mjs'), 'replay', run?.traceId ?? ''];
    const replayed = await stage.node([...command, '--', 'node', '--input-type=module', '--eval', code]);
    expect(replayed.exitCode, replayed.stderr).toBe(0);
    expect(replayed.stdout.split('\n')[0]).toBe(recorded.stdout.trim());
  });
});
