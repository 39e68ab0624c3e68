import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agent, type CrossingFacts, gate } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';

let undo: () => void;
let server: Server;
let url: string;
let answers: ServerResponse[];
let calls: RecordedCalls;
let detach: () => void;

beforeAll(async () => {
  undo = patchHttp();
  server = createServer((_request, response) => {
    answers.push(response);
    response.writeHead(500).write('first');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  undo();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  answers = [];
  calls = new RecordedCalls();
  detach = calls.attach();
});

afterEach(() => detach());

/** What was recorded of the request, version by version. */
function requests(): CrossingFacts[] {
  return calls.facts.filter(({ boundary }) => boundary.kind === 'http');
}

/** Once the event loop has turned, what goes on behind a run has been told. */
const turned = () => new Promise((resolve) => setImmediate(resolve));

const asks = agent('asks', (signal?: AbortSignal) => fetch(url, { signal: signal ?? null }));

describe('a request whose answer outlives its run', () => {
  it('is recorded once its run has ended, as it stands', async () => {
    const response = await asks();
    await turned();
    const [root, request] = calls.facts;
    expect(request).toMatchObject({ outlivesRun: 'satisfied', outcome: { type: 'pending' }, settled: undefined });
    expect(request?.endTime).toEqual(root?.endTime);
    expect(request?.exchanges).toMatchObject([
      { response: { status: 500, chunks: [], end: 'open', reader: 'satisfied' } },
    ]);
    expect(request?.slim).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
    expect(request?.status.code).toBe(2);
    expect(root?.boundary.name).toBe('asks');
    await response.body?.cancel();
  });

  it('is not told a second time at the end of the process, where nobody has read on', async () => {
    const response = await asks();
    await turned();
    expect(gate.pendingFacts()).toEqual([]);
    await response.body?.cancel();
  });

  it('is recorded again, to its end, where it is read after all', async () => {
    const response = await asks();
    await turned();
    answers[0]?.end('second');
    expect(await response.text()).toBe('firstsecond');
    expect(requests()).toHaveLength(2);
    expect(requests()[1]).toMatchObject({ outcome: { type: 'returned' }, outlivesRun: undefined });
    expect(requests()[1]?.exchanges).toMatchObject([{ response: { end: 'complete' } }]);
  });

  it('is recorded again where it is called off after all', async () => {
    const leaving = new AbortController();
    await asks(leaving.signal);
    await turned();
    leaving.abort();
    await calls.settled(3);
    expect(requests().map(({ outcome }) => outcome.type)).toEqual(['pending', 'aborted']);
  });
});

describe('a request whose answer is still read when its run ends', () => {
  it('says so, and is recorded to its end then', async () => {
    let rest: Promise<unknown> | undefined;
    const leaves = agent('leaves', async () => {
      const reader = (await fetch(url)).body?.getReader();
      await reader?.read();
      rest = reader?.read();
    });
    await leaves();
    await turned();
    expect(requests()).toMatchObject([{ outlivesRun: 'waiting', outcome: { type: 'pending' } }]);
    expect(gate.pendingFacts()).toHaveLength(1);
    answers[0]?.destroy();
    await expect(rest).rejects.toThrow();
    expect(requests().map(({ outcome }) => outcome.type)).toEqual(['pending', 'failed']);
  });
});

describe('a request that is open when another run of its trace ends', () => {
  it('is none of that run', async () => {
    const inner = Promise.withResolvers<void>();
    const outer = agent('outer', async () => {
      const response = await fetch(url);
      await asks();
      inner.resolve();
      expect(requests()).toEqual([]);
      return response;
    });
    const response = await outer();
    await turned();
    expect(requests()).toHaveLength(2);
    await response.body?.cancel();
  });
});
