import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectAllRefused } from './expect-refused.ts';
import { folderPicture } from './folder-picture.ts';
import { GuardStage } from './guard-stage.ts';

let stage: GuardStage;
let server: Server;
let requests: number;
let environment: { THREAD_URL: string };

beforeEach(async () => {
  stage = new GuardStage();
  requests = 0;
  server = createServer((_request, response) => {
    requests += 1;
    response.end('answered');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  environment = { THREAD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
});

afterEach(() => {
  stage.strike();
  server.closeAllConnections();
  server.close();
});

/** Each thread of the eight loads the whole hook: a busy machine takes minutes. */
const threadsMs = 300_000;

describe('worker threads of a replay', () => {
  it('run again, and do nothing that no boundary covers, however they are started', {
    timeout: threadsMs,
  }, async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'threads', wholeHook: true, environment });
    expect([folderPicture(stage.work), requests]).toEqual([before, 0]);
    expect(replayed.attempted.size).toBe(8);
    expectAllRefused(replayed);
    expect(replayed.report.notes.join('\n')).toMatch(/A worker thread was started: its code runs again, guarded/);
  });

  it('are started also where the process has flags that no thread is given', async () => {
    const flags = { NODE_OPTIONS: '--max-old-space-size=500', FEW_THREADS: '1' };
    const replayed = await stage.replay({
      attempts: 'threads',
      wholeHook: true,
      environment: { ...environment, ...flags },
    });
    expectAllRefused(replayed);
    expect(replayed.attempted.size).toBe(3);
  });

  it('may do what the user allows', async () => {
    const guard = {
      allowHosts: [new URL(environment.THREAD_URL).host],
      allowPaths: [stage.work],
      allowPrograms: ['touch'],
    };
    const { attempted, report } = await stage.replay({
      attempts: 'threads',
      wholeHook: true,
      environment: { ...environment, FEW_THREADS: '1' },
      guard,
    });
    expect([...attempted.values()].map(({ value }) => value)).toEqual(Array(3).fill('done'));
    expect([report.verdict, requests]).toEqual(['reproduced', 1]);
  });

  it('do each of these where no replay runs', async () => {
    const before = Object.keys(folderPicture(stage.work));
    const free = await stage.runFreely({ attempts: 'threads', environment });
    expect([...free.values()].filter(({ code }) => code !== undefined)).toEqual([]);
    expect([Object.keys(folderPicture(stage.work)).length - before.length, requests]).toEqual([7, 1]);
  });
});
