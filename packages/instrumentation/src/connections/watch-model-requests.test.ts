import { channel } from 'node:diagnostics_channel';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context as contexts } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { ATTR_REENACT_LOSSY } from '@reenact/semconv/reenact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, httpCoverage, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { trapLog } from '../traps/trap-log.ts';

let host: RecordingHost;
let server: Server;
let origin: string;
beforeEach(async () => {
  host = new RecordingHost();
  server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Each case has a port of its own: a process keeps each trap once.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await host.stop();
  server.closeAllConnections();
  server.close();
});

function found(): string[] {
  const details: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => {
    if (kind === 'unrecorded-model-call' && detail === origin) details.push(detail);
  });
  stop();
  return details;
}

const byFetch = async (): Promise<string> => (await fetch(`${origin}/v1/chat/completions`, { method: 'POST' })).text();

async function byHttp(): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = httpRequest(`${origin}/v1/messages?beta=true`, { method: 'POST' }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode));
  });
  sent.on('error', reject).end('{}');
  return promise;
}

describe('a request to a model that nothing records', () => {
  it.each([
    ['fetch', byFetch],
    ['node:http', byHttp],
  ])('is told, by %s, inside an agent and outside of everything', async (_name, send) => {
    await agent('run', send)();
    expect(found()).toEqual([origin]);
    await send();
    expect(found()).toEqual([origin]);
  });

  it.each([
    ['fetch', byFetch],
    ['node:http', byHttp],
  ])('is what the run lacks, by %s, where one goes on, and no other run', async (_name, send) => {
    await send();
    await agent('before', async () => 1)();
    await agent('asking', send)();
    await agent('behind', async () => 2)();
    const marks = (name: string): unknown =>
      host.recordedAs(`invoke_agent ${name}`).then(({ attributes }) => attributes[ATTR_REENACT_LOSSY]);
    expect(await marks('asking')).toEqual([`/connections/${new URL(origin).host}`]);
    expect([await marks('before'), await marks('behind')]).toEqual([undefined, undefined]);
  });

  it('is nobody’s trap where a crossing keeps what comes of it, and where tracing is suppressed', async () => {
    await agent('run', () => tool('ask', byFetch, { effect: 'read' })())();
    await tool('ask', byHttp, { effect: 'read' })();
    await contexts.with(suppressTracing(contexts.active()), byFetch);
    expect(found()).toEqual([]);
  });

  it('is seen as HTTP where an instrumentation records that, and by nobody once the recorder has shut down', async () => {
    expect(channel('undici:request:create').hasSubscribers).toBe(true);
    const uncover = httpCoverage.cover();
    // Who listens there changes which headers are sent: nobody of ours does where HTTP is recorded.
    expect(channel('undici:request:create').hasSubscribers).toBe(false);
    await agent('run', byFetch)();
    uncover();
    expect(channel('undici:request:create').hasSubscribers).toBe(true);
    await host.processor.shutdown();
    await byFetch();
    expect(found()).toEqual([]);
  });

  it('is told apart from other requests', async () => {
    await (await fetch(`${origin}/v1/orders`)).text();
    expect(found()).toEqual([]);
  });
});
