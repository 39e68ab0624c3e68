import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInThisContext } from 'node:vm';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, boundary } from '../boundary/boundaries.ts';
import { FetchExchangeRecorder } from '../exchange/fetch-exchange-record.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { FETCH_READ_MS_MAX } from '../limits.ts';
import { whileFetching } from './fetch-reads.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded: CrossingFacts[] = [];
let uninstall = (): void => undefined;
let server: Server;
let url: string;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  uninstall = installDrawRecording({ environment: {} });
  server = createServer((request, response) => {
    if (request.url === '/silent') return;
    response.write('first');
    if (request.url !== '/endless') response.end('last');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  uninstall();
  gate.configure({ recorder: undefined });
  context.disable();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** How often the code directly inside the latest crossing read the clock. */
function readCount(): number {
  const draws = recordedDrawsSchema.parse(JSON.parse(recorded.at(-1)?.draws ?? '{}'));
  return (draws['Date.now'] ?? []).filter((_, index) => index % 2 === 1).reduce((sum, count) => sum + count, 0);
}

function recorderOf(url: string, signal?: AbortSignal): FetchExchangeRecorder {
  const rest = { attempt: 0, method: 'GET', headers: new Headers(), body: undefined, inputText: undefined };
  return new FetchExchangeRecorder({ ...rest, url, signal }, () => undefined);
}

async function recordedFetch(address: string, signal?: AbortSignal): Promise<Response> {
  const recorder = recorderOf(address, signal);
  return recorder.responded(await fetch(address, signal === undefined ? {} : { signal }));
}

// What Node.js itself does when a body has ended.
const readByFetch = runInThisContext('() => Date.now()', 'node:internal/deps/undici/undici') as () => number;

describe('clock reads of fetch', () => {
  it('are not looked for where there was no answer', () => {
    agent('idle', () => readByFetch())();
    expect(readCount()).toBe(1);
  });

  it('are no draws of the agent while an answer is under way, and a moment longer', () => {
    agent('reads', () => {
      const recorder = recorderOf(url);
      readByFetch();
      Date.now();
      recorder.failed(new Error('gone'));
      readByFetch();
    })();
    expect(readCount()).toBe(1);
  });

  it('are none where nobody keeps the answer, given or not', async () => {
    await agent('passing', async () => {
      const [answer, gone] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
      const calls = Promise.allSettled([whileFetching(answer.promise), whileFetching(gone.promise)]);
      readByFetch();
      answer.resolve(new Response());
      gone.reject(new Error('gone'));
      await calls;
      readByFetch();
      Date.now();
    })();
    expect(readCount()).toBe(1);
  });

  it('leave out nothing of what the agent reads around answers that it reads, leaves and aborts', async () => {
    let reads = 0;
    await agent('aborting', async () => {
      for (let round = 0; round < 20; round += 1) {
        const abort = new AbortController();
        const endless = await recordedFetch(`${url}/endless`, abort.signal);
        await endless.body?.getReader().read();
        abort.abort();
        const whole = await recordedFetch(url);
        Date.now();
        await whole.text();
        Date.now();
        reads += 2;
      }
    })();
    expect(readCount()).toBe(reads);
  });
});

describe('clock reads of fetch in a call of a client', () => {
  it('are no draws of it, whose own reads are given again: it asks again for what it has aborted', async () => {
    const client = boundary('model', 'client', async () => {
      Date.now();
      const cut = new AbortController();
      const asked = whileFetching(fetch(`${url}/silent`, { signal: cut.signal }));
      await once(server, 'request');
      cut.abort();
      await expect(asked).rejects.toThrow('aborted');
      Date.now();
    });
    await client();
    expect(readCount()).toBe(2);
  });

  it('are none either where the process gets no processor between the end of an answer and them', async () => {
    const client = boundary('model', 'client', async () => {
      const cut = new AbortController();
      const asked = whileFetching(fetch(`${url}/silent`, { signal: cut.signal }));
      const late = asked.catch(() => {
        const until = performance.now() + 2 * FETCH_READ_MS_MAX;
        while (performance.now() < until);
      });
      await once(server, 'request');
      cut.abort();
      await late;
      await new Promise((resolve) => setImmediate(resolve));
      Date.now();
    });
    await client();
    expect(readCount()).toBe(1);
  });
});
