import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

describe('reenact health', () => {
  it('asks where the variables say that the collector listens', async () => {
    const port = new URL(stage.collectorUrl).port;
    const everywhere = { REENACT_COLLECTOR_HTTP_PORT: port, REENACT_COLLECTOR_HOST: '0.0.0.0' };
    const tokens = [{ name: 'app', sha256: 'a'.repeat(64), scopes: ['ingest'] }];
    const result = await stage.reenact(['health'], { ...everywhere, REENACT_COLLECTOR_TOKENS: JSON.stringify(tokens) });
    expect([result.exitCode, JSON.parse(result.stdout)]).toEqual([0, { status: 'ready', ingest: 'taken' }]);
  });

  it('fails where what answers is not ready', async () => {
    const server = createServer((_request, response) => response.writeHead(503).end('{"code":"store-failed"}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { exitCode, stdout } = await stage.reenact(['health', '--http-port', String(port)]);
    server.close();
    expect([exitCode, stdout.trim()]).toEqual([1, '{"code":"store-failed"}']);
  });

  it.each([
    [404, '<!doctype html><title>Not found</title>'],
    [200, 'ok'],
    [200, '{"status":"ok"}'],
  ])('says that another program answers: %d %s', async (status, body) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { exitCode, stdout, stderr } = await stage.reenact(['health', '--http-port', String(port)]);
    server.close();
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`collector-refused What listens there answered HTTP ${status}`);
    expect(stderr).toContain(`http://127.0.0.1:${port}/health/ready`);
  });

  it('says where nothing answers, and that a port of 0 is none that could be asked', async () => {
    const nobody = await stage.reenact(['health', '--http-port', '1']);
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:1/health/ready')]);
    const unknown = await stage.reenact(['health', '--http-port', '0']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('httpPort')]);
  });
});

describe('reenact config check', () => {
  const certificates = new URL('../conformance/receiver/certificates/', import.meta.url).pathname;
  const tlsOf = (name: string) => ({
    REENACT_COLLECTOR_TLS: JSON.stringify({
      certificateFile: `${certificates}${name}.pem`,
      keyFile: `${certificates}${name}-key.pem`,
    }),
  });

  it('warns of a certificate that has ended, with which a collector starts, and fails for it where it is asked to', async () => {
    const warned = await stage.reenact(['config', 'check'], tlsOf('ended'));
    expect([warned.exitCode, warned.stderr]).toEqual([0, expect.stringContaining('tls.certificateFile')]);
    const strict = await stage.reenact(['config', 'check', '--strict'], tlsOf('ended'));
    expect([strict.exitCode, strict.stderr]).toEqual([2, expect.stringContaining('ended.pem')]);
    expect((await stage.reenact(['config', 'check', '--strict'], tlsOf('server'))).exitCode).toBe(0);
  });
});

describe('reenact config token', () => {
  it.each([
    ['--scope', 'bogus'],
    ['--tenant', 'two words'],
    ['--name', ''],
  ])('names the flag %s where its value cannot be used', async (flag, value) => {
    const { exitCode, stdout, stderr } = await stage.reenact(['config', 'token', flag, value]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`bad-argument The value of ${flag} cannot be used: `);
    expect(stderr).not.toContain('tokens.0');
  });
});
