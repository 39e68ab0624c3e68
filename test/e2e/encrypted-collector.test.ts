import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/small/agent', import.meta.url).pathname;
const pathOf = (name: string) =>
  fileURLToPath(new URL(`../conformance/receiver/certificates/${name}.pem`, import.meta.url));

const trusting = { OTEL_EXPORTER_OTLP_CERTIFICATE: pathOf('ca') };
const showing = {
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: pathOf('client'),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: pathOf('client-key'),
};

let folder: string;
let stage: Stage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-tls-'));
  const config = join(folder, 'collector.json');
  const tls = { certificateFile: pathOf('server'), keyFile: pathOf('server-key'), clientCaFile: pathOf('ca') };
  await writeFile(config, JSON.stringify({ tls }));
  const environment = () => ({ OTEL_SERVICE_NAME: 'small', ...trusting, ...showing });
  stage = await setStage({ agentFolder, environment, collectFlags: ['--config', config] });
});

afterAll(async () => {
  await stage.stop();
  await rm(folder, { recursive: true });
});

describe('a collector that wants the certificate of whoever asks', () => {
  it('gets what is recorded, lists it and gives it to a replay, by the variables that exporters have', async () => {
    expect(stage.collectorUrl).toMatch(/^https:/);
    const { run } = await recordRun(stage, 'failing-tool.ts');
    const shown = await stage.reenact(['show', run.rootSpanId]);
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringContaining('order 7 is gone')]);
    const { report } = await replayAsJson(stage, run.rootSpanId, 'failing-tool.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });

  it.each([
    ['without a certificate', { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '', OTEL_EXPORTER_OTLP_CLIENT_KEY: '' }],
    ['without its authority', { OTEL_EXPORTER_OTLP_CERTIFICATE: '' }],
  ])('refuses a command %s, which says what is missing', async (_name, environment) => {
    const { exitCode, stderr } = await stage.reenact(['runs'], environment);
    expect(stderr).toMatch(/do not trust each other over TLS[\s\S]*OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE/);
    expect(exitCode).toBe(2);
  });

  it('says whether it is ready to whoever has its configuration, shown its own certificate or that of the variables', async () => {
    const port = new URL(stage.collectorUrl).port;
    const asked = ['health', '--config', join(folder, 'collector.json'), '--http-port', port, '--for-ingest'];
    const without = { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '', OTEL_EXPORTER_OTLP_CLIENT_KEY: '' };
    for (const environment of [{}, without]) {
      const { exitCode, stdout, stderr } = await stage.reenact(asked, environment);
      expect([exitCode, stdout, stderr]).toEqual([0, expect.stringContaining('"ready"'), '']);
    }
  });

  it('names the variable whose file is not there', async () => {
    const environment = { OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: pathOf('gone') };
    const { exitCode, stderr } = await stage.reenact(['runs'], environment);
    expect(stderr).toContain('OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY names cannot be read');
    expect(exitCode).toBe(2);
  });

  it('is no matter of trust to the doctor where something there denies the token', async () => {
    const [cert, key] = [readFileSync(pathOf('server')), readFileSync(pathOf('server-key'))];
    const server = createServer({ cert, key }, (request, response) =>
      request.resume().on('end', () => response.writeHead(401).end()),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { stdout } = await stage.reenact(['doctor', '--json'], { OTEL_EXPORTER_OTLP_ENDPOINT: address });
      expect(stdout).toContain(`${address} takes nothing: Unauthorized, status 401`);
    } finally {
      server.close();
    }
  });
});
