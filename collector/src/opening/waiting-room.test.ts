import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { decodeRpcStatus } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { FileWatch } from '../access/file-watch.ts';
import { LiveAccess } from '../access/live-access.ts';
import { parseCollectorConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { SIGNAL_SERVICES } from '../signal-services.ts';
import { WaitingRoom } from './waiting-room.ts';

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function roomOf(tellEveryMs?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', (line) => lines.push(JSON.parse(line)));
  const config = parseCollectorConfig({ httpPort: await freePort(), grpcPort: await freePort() });
  const watch = new FileWatch(60_000);
  const { authorizer, tls } = new LiveAccess(config, log, watch);
  watch.stop();
  const times = tellEveryMs === undefined ? {} : { tellEveryMs };
  const room = new WaitingRoom({ config, authorizer, tls, log, quietMs: 0, ...times });
  return { room, lines, url: `http://127.0.0.1:${config.httpPort}`, grpc: `127.0.0.1:${config.grpcPort}` };
}

async function untilListening(url: string): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`${url}/health/live`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200);
}

function exportOver(target: string): Promise<ServiceError | null> {
  const path = SIGNAL_SERVICES.find(({ signal }) => signal === 'traces')?.path ?? '';
  const client = new Client(target, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), { deadline: Date.now() + 20_000 }, (error) => {
      client.close();
      resolve(error);
    });
  });
}

it('is live and not ready while the store opens, has senders try again over both transports, and lets go of the ports', async () => {
  const { room, lines, url, grpc } = await roomOf(10);
  const opening = Promise.withResolvers<string>();
  const during = room.during(opening.promise);
  room.tell({ what: 'opening', done: 0, total: 0 });
  await untilListening(url);
  room.tell({ what: 'emptying summaries', done: 30, total: 120 });
  const ready = await fetch(`${url}/health/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('emptying summaries (25 %)')]);
  const sent = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect([sent.status, sent.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await fetch(`${url}/api/v1/runs`)).status).toBe(503);
  expect((await fetch(`${url}/metrics`)).status).toBe(503);
  await expect
    .poll(() => exportOver(grpc).then((error) => error?.details), { timeout: 20_000 })
    .toContain('is being opened');
  const refused = await exportOver(grpc);
  const details = refused?.metadata.get('grpc-status-details-bin')[0];
  expect(decodeRpcStatus(details as Buffer)).toMatchObject({ ok: true, status: { code: 14, retryDelayMs: 1000 } });
  await expect
    .poll(() => lines.filter(({ event }) => event === 'store still opens'), { timeout: 20_000 })
    .toContainEqual(expect.objectContaining({ level: 'warn', what: 'emptying summaries', done: 30, total: 120 }));
  opening.resolve('opened');
  expect(await during).toBe('opened');
  expect(lines).toContainEqual(expect.objectContaining({ event: 'store opened' }));
  await expect(fetch(`${url}/health/live`)).rejects.toThrow();
});

it('throws why the store was not opened, and says nothing of one that opens at once', async () => {
  const failing = await roomOf();
  const opening = Promise.withResolvers<never>();
  const during = failing.room.during(opening.promise);
  failing.room.tell({ what: 'opening', done: 0, total: 0 });
  await untilListening(failing.url);
  opening.reject(new ReenactError('store-failed', 'It is damaged.'));
  await expect(during).rejects.toThrow('It is damaged.');
  await expect(fetch(`${failing.url}/health/live`)).rejects.toThrow();

  const quick = await roomOf();
  expect(await quick.room.during(Promise.resolve(1))).toBe(1);
  expect(quick.lines).toEqual([]);
});
