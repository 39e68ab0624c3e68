import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';

const testbed = new Testbed();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const close of closers.splice(0)) await close();
});

/** Takes connections, reads what comes, and never answers. */
async function startSilence(): Promise<{ port: number; close(): Promise<void>; connections(): number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { port: (server.address() as AddressInfo).port, close, connections: () => count };
}

describe('a destination that takes connections and never answers', () => {
  it.each(['http', 'grpc'] as const)(
    'over %s costs disk, holds up no export and no stop, and has everything later',
    async (protocol) => {
      const silence = await startSilence();
      const url = `http://127.0.0.1:${silence.port}`;
      const limits = { forwardTimeoutMs: 500, forwardBackoffFirstMs: 50, forwardBackoffMaxMs: 200 };
      const forward = [{ name: 'silent', url, protocol, content: 'full' as const }];
      const near = await testbed.start({ forward, limits });
      const spans = Array.from({ length: 40 }, (_, index) => makeSpan({ spanId: spanIdOf(index) }));
      await postSpans(near.httpUrl, spans.slice(0, 1));
      await eventually('a delivery that hangs', async () => silence.connections() > 0);
      for (const span of spans.slice(1)) expect((await postSpans(near.httpUrl, [span])).status).toBe(200);
      await eventually('unhealthy', async () => (await near.stats()).forward[0]?.isHealthy === false);
      const [health] = (await near.stats()).forward;
      expect(health).toMatchObject({ queued: 40, delivered: 0, dropped: {} });
      expect(health?.lastError).toMatch(/no answer in time|DEADLINE_EXCEEDED|UNAVAILABLE/);
      await silence.close();
      const port = protocol === 'http' ? { httpPort: silence.port } : { grpcPort: silence.port };
      const far = await testbed.start(port);
      await eventually('all delivered', async () => (await near.stats()).forward[0]?.queued === 0, 60_000);
      expect((await far.stats()).store.spans).toBe(40);
    },
    90_000,
  );

  it('does not hold up a stop', async () => {
    const silence = await startSilence();
    closers.push(silence.close);
    const forward = [{ name: 'silent', url: `http://127.0.0.1:${silence.port}`, content: 'full' as const }];
    const near = await testbed.start({ forward });
    await postSpans(near.httpUrl, [makeSpan()]);
    await eventually('a delivery that hangs', async () => silence.connections() > 0);
    await near.stop();
    const socket = connect(Number(new URL(near.httpUrl).port), '127.0.0.1');
    await expect(new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))).rejects.toThrow();
  });
});
