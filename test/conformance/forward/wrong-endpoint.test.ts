import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { encodeExportResponse } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, Testbed } from '../testbed.ts';
import { startEndpoint } from './recording-endpoint.ts';

const testbed = new Testbed();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const close of closers.splice(0)) await close();
});

/** What is said of a destination once a delivery to it has failed. */
async function failureAt(url: string, protocol: 'http' | 'grpc'): Promise<string> {
  const near = await testbed.start({ forward: [{ name: 'next', url, protocol, content: 'full' }] });
  await postSpans(near.httpUrl, [makeSpan()]);
  await eventually('a failure', async () => (await near.stats()).forward[0]?.lastError !== undefined);
  const [health] = (await near.stats()).forward;
  expect(health).toMatchObject({ isHealthy: false, queued: 1, delivered: 0, dropped: {} });
  return health?.lastError ?? '';
}

describe('a destination at a port of something else', () => {
  it('that speaks gRPC is told by what to set', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closers.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await failureAt(`http://127.0.0.1:${port}`, 'http')).toContain('"protocol": "grpc"');
  });

  it('that is the port of OTLP/gRPC of a collector is told what that says, and drops nothing', async () => {
    const { grpcUrl } = await testbed.start({});
    expect(await failureAt(grpcUrl, 'http')).toContain('to this port OTLP/gRPC');
  });

  it('that speaks no TLS is told by what to set', async () => {
    const endpoint = await startEndpoint();
    closers.push(endpoint.close);
    expect(await failureAt(endpoint.url.replace('http:', 'https:'), 'http')).toContain('needs http:');
  });

  it.each(['http', 'grpc'] as const)('where nobody listens is named with its address over %s', async (protocol) => {
    const endpoint = await startEndpoint();
    await endpoint.close();
    const said = await failureAt(endpoint.url, protocol);
    expect(said).toContain(`ECONNREFUSED ${new URL(endpoint.url).host}`);
    expect(said).not.toContain('Resolution note');
  });
});

it('a destination that rejects more than it was sent is counted with what it was sent', async () => {
  const endpoint = await startEndpoint();
  closers.push(endpoint.close);
  endpoint.answer = () => ({ status: 200, body: encodeExportResponse({ rejected: 500, message: 'too old' }) });
  const near = await testbed.start({ forward: [{ name: 'next', url: endpoint.url, content: 'full' }] });
  await postSpans(near.httpUrl, [makeSpan()]);
  await eventually('settled', async () => (await near.stats()).forward[0]?.queued === 0);
  await expect
    .poll(async () => (await near.stats()).forward[0], { timeout: 20_000 })
    .toMatchObject({ delivered: 0, dropped: { 'partial success: too old': 1 } });
});
