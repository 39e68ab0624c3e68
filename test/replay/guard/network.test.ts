import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryFor, expectAllRefused } from './expect-refused.ts';
import { GuardStage } from './guard-stage.ts';
import { Witness } from './witness.ts';

let stage: GuardStage;
let witness: Witness;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  stage = new GuardStage();
  witness = await Witness.listen(join(stage.temporary, 'witness.sock'));
  environment = witness.environment();
});

afterEach(async () => {
  await witness.close();
  stage.strike();
});

describe('code that no boundary covers cannot reach the network', () => {
  it('by any client, and the servers see nothing', async () => {
    const replayed = await stage.replay({ attempts: 'network', environment });
    expect(witness.seen).toBe(0);
    expect(replayed.attempted.size).toBe(30);
    expectAllRefused(replayed);
  });

  it('and the report says where and how to allow it', async () => {
    const replayed = await stage.replay({ attempts: 'network', environment });
    const { HTTP_PORT } = environment;
    expect(entryFor(replayed, 'http.request')).toMatchObject({
      message: `http.request 127.0.0.1:${HTTP_PORT} was refused: no boundary covers it, so a replay must not do it.`,
      next: expect.stringContaining(`--allow-host 127.0.0.1:${HTTP_PORT}`),
      source: { file: expect.stringMatching(/agent\/network\.ts$/), line: expect.any(Number) },
    });
    const lines = new Set(
      ['fetch', 'tls.connect', 'http2.connect', 'dns.lookup'].map((name) => entryFor(replayed, name).source?.line),
    );
    expect(lines.size).toBe(4);
  });

  it('although each kind of server is reached where no replay runs', async () => {
    // Nobody needs the answers of name servers outside.
    const limited = { ...environment, ATTEMPT_MS_MAX: '2000' };
    const free = await stage.runFreely({ attempts: 'network', environment: limited });
    const answered = [...free.values()].filter(({ code }) => code === undefined).map(({ name }) => name);
    expect(answered).toEqual(
      expect.arrayContaining([
        'net.connect',
        'http.request',
        'http2.connect',
        'fetch',
        'dgram.Socket.send',
        'dgram.Socket.bind',
      ]),
    );
    expect(witness.seen).toBeGreaterThan(20);
  });
});

describe('a WebSocket', () => {
  it('is refused where its socket connects', async () => {
    const { attempted, report } = await stage.replay({ attempts: 'web-socket', environment });
    expect(witness.seen).toBe(0);
    expect(attempted.get('WebSocket')?.value).toBe('failed');
    expect(report.exitCode).toBe(3);
    expect(report.divergences.map(({ message }) => message)).toEqual([
      expect.stringMatching(`^net.connect 127.0.0.1:${environment.HTTP_PORT} was refused`),
    ]);
  });
});

describe('an undici before version 6, which is not recorded', () => {
  it('is refused where its socket connects, and the server sees nothing', async () => {
    const replayed = await stage.replay({ attempts: 'older-undici', environment });
    expect(witness.seen).toBe(0);
    expect(replayed.attempted.size).toBe(8);
    expectAllRefused(replayed);
    expect(entryFor(replayed, 'net.connect by request')).toMatchObject({
      next: expect.stringContaining(`--allow-host 127.0.0.1:${environment.HTTP_PORT}`),
      source: { file: expect.stringMatching(/agent\/older-undici\.ts$/) },
    });
  });

  it('although each way of it reaches the server where no replay runs', async () => {
    const free = await stage.runFreely({ attempts: 'older-undici', environment });
    const failed = [...free.values()].filter(({ message }) => message !== undefined).map(({ message }) => message);
    expect(failed).toEqual(['answered']);
    expect(witness.requests).toBe(8);
  });
});

describe('--allow-host', () => {
  it('lets requests to this host and port through, and no others', async () => {
    const { HTTP_PORT } = environment;
    const guard = { allowHosts: [`127.0.0.1:${HTTP_PORT}`], allowPaths: [], allowPrograms: [] };
    const { attempted, report } = await stage.replay({ attempts: 'network', environment, guard });
    const answered = [...attempted.values()].filter(({ code }) => code === undefined).map(({ name }) => name);
    expect(answered.sort()).toEqual(
      [
        'fetch',
        'fetch of a URL',
        'fetch of a request',
        'http.request',
        'http.request by an agent',
        'http.request with a body',
        'http.request without an agent',
      ].sort(),
    );
    expect(witness.requests).toBe(7);
    expect(report.exitCode).toBe(3);
    expect(report.divergences.map(({ message }) => message).join('\n')).not.toContain(`:${HTTP_PORT} `);
  });
});
