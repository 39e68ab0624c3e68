import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, Testbed } from '../testbed.ts';

const testbed = new Testbed();
const calls = new RecordedCalls();
let undo: () => void;
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const instrumentation = new HttpInstrumentation({ inbound: true });
  const detach = calls.attach();
  undo = () => {
    detach();
    instrumentation.disable();
    context.disable();
  };
});
afterAll(async () => {
  await testbed.dispose();
  undo();
});

/** As an exporter sends: with tracing suppressed. */
function sendSpan(url: string): Promise<Response> {
  return context.with(suppressTracing(context.active()), () => postSpans(url, [makeSpan()]));
}

describe('a collector inside an application with the hook', () => {
  it('records neither what it receives nor what it sends on, and the hook goes on recording other servers', async () => {
    const far = await testbed.start();
    const near = await testbed.start({ forward: [{ name: 'far', url: far.httpUrl, content: 'full' }] });
    expect((await sendSpan(near.httpUrl)).status).toBe(200);
    await eventually('sent on', async () => (await near.stats()).forward[0]?.delivered === 1);
    expect((await far.stats()).store.spans).toBe(1);
    expect(calls.crossings()).toEqual([]);

    const other = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    await sendSpan(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    await calls.settled(1);
    expect(calls.crossings().map(({ name }) => name)).toEqual(['POST /v1/traces']);
    other.closeAllConnections();
    other.close();
  });
});
