import { Agent, type IncomingMessage, request } from 'node:http';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { decodeRpcStatus } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, expect, it } from 'vitest';
import { FileWatch } from '../access/file-watch.ts';
import { LiveAccess } from '../access/live-access.ts';
import { type CollectorConfigInput, parseCollectorConfig } from '../config.ts';
import { createCounters } from '../counters.ts';
import { createLog } from '../logging/log.ts';
import { SIGNAL_SERVICES } from '../services/signal-services.ts';
import { Entrance, type Served } from './entrance.ts';
import { WaitingRoom } from './waiting-room.ts';

let entrance: Entrance;
afterEach(() => entrance.stop());

/** An entrance at ports that are picked, and what the room says of them. */
function roomOf(input: CollectorConfigInput = {}, tellEveryMs?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', (line) => lines.push(JSON.parse(line)));
  const config = parseCollectorConfig({ httpPort: 0, grpcPort: 0, ...input });
  const watch = new FileWatch(60_000);
  const { authorizer, tls } = new LiveAccess(config, log, watch);
  watch.stop();
  const room = new WaitingRoom({ log, quietMs: 0, ...(tellEveryMs === undefined ? {} : { tellEveryMs }) });
  entrance = new Entrance({ config, authorizer, tls, log, counters: createCounters(), page: undefined }, room.notYet);
  const listening = async () => {
    const said = () => lines.find(({ event }) => event === 'listening while the store opens');
    await expect.poll(said, { timeout: 20_000 }).toBeDefined();
    const { httpPort, grpcPort } = said() ?? {};
    return { url: `http://127.0.0.1:${httpPort}`, grpc: `127.0.0.1:${grpcPort}` };
  };
  return { room, lines, listening };
}

const TRACES_PATH = SIGNAL_SERVICES.find(({ signal }) => signal === 'traces')?.path ?? '';

/** Calls a method with an empty request, over a connection that stays. */
function callOver(client: Client, path: string): Promise<ServiceError | null> {
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), { deadline: Date.now() + 20_000 }, resolve);
  });
}

function served(ingested: string[]): Served {
  return {
    ingest: async ({ signal }) => {
      ingested.push(signal);
      return { rejected: 0, message: '' };
    },
    checks: { check: async () => undefined, checkAppend: async () => undefined },
    questions: new Map([['/health/ready', async () => ({ status: 200, body: '{"status":"ready"}' })]]),
    metrics: (_request, response) => void response.end('metrics'),
  };
}

function post(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sending = request(`${url}/v1/traces`, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response));
    });
    sending.once('error', reject).end('{}');
  });
}

/** Asks over the connection of the agent, and gives the port that it comes from. */
function askReady(url: string, agent: Agent): Promise<[port: number | undefined, statusCode: number | undefined]> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/health/ready`, { agent }, (response) => {
      const port = response.socket.localPort;
      response.resume().once('end', () => resolve([port, response.statusCode]));
    });
    asking.once('error', reject).end();
  });
}

/** What the health service says of the whole server, one after the other. */
function watchHealth(client: Client): number[] {
  const states: number[] = [];
  const same = (bytes: Buffer) => bytes;
  const call = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', same, same, Buffer.alloc(0));
  call.on('data', (bytes: Buffer) => states.push(bytes[1] ?? 0));
  call.on('error', () => undefined);
  return states;
}

const portOf = (address: string) => address.split(':').at(-1);

it('is live and not ready while the store opens, and has senders try again over both transports', async () => {
  const { room, lines, listening } = roomOf({}, 10);
  const opening = Promise.withResolvers<string>();
  const during = room.during(opening.promise, entrance);
  room.tell({ what: 'opening', done: 0, total: 0 });
  const { url, grpc } = await listening();
  room.tell({ what: 'emptying summaries', done: 30, total: 120 });
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  const ready = await fetch(`${url}/health/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('emptying summaries (25 %)')]);
  const sent = await post(url, new Agent());
  expect([sent.statusCode, sent.headers['retry-after']]).toEqual([503, '1']);
  expect((await fetch(`${url}/api/v1/runs`)).status).toBe(503);
  expect((await fetch(`${url}/metrics`)).status).toBe(503);
  const client = new Client(grpc, credentials.createInsecure());
  const refused = await callOver(client, TRACES_PATH);
  client.close();
  const details = refused?.metadata.get('grpc-status-details-bin')[0];
  expect(decodeRpcStatus(details as Buffer)).toMatchObject({ ok: true, status: { code: 14, retryDelayMs: 1000 } });
  await expect
    .poll(() => lines.filter(({ event }) => event === 'store still opens'), { timeout: 20_000 })
    .toContainEqual(expect.objectContaining({ level: 'warn', what: 'emptying summaries', done: 30, total: 120 }));
  opening.resolve('opened');
  expect(await during).toBe('opened');
  expect(lines).toContainEqual(expect.objectContaining({ event: 'store opened' }));
});

it.each([
  ...SIGNAL_SERVICES.map(({ path }) => path),
  ...['RegisterReplay', 'JoinReplay', 'ReportEvents', 'GatherReports', 'EndReplay'].map(
    (name) => `/reenact.replay.v1.ReplayService/${name}`,
  ),
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
])('says of %s that it is not there yet, not that it never is', async (path) => {
  const { room } = roomOf();
  const grpc = `127.0.0.1:${await entrance.openGrpc()}`;
  const client = new Client(grpc, credentials.createInsecure());
  expect(await callOver(client, path)).toMatchObject({
    code: status.UNAVAILABLE,
    details: expect.stringContaining(room.notYet().message),
  });
  client.close();
});

it('changes over without letting go of a connection', async () => {
  const { room, listening } = roomOf();
  const opening = Promise.withResolvers<string>();
  const during = room.during(opening.promise, entrance);
  room.tell({ what: 'opening', done: 0, total: 0 });
  const { url, grpc } = await listening();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const client = new Client(grpc, credentials.createInsecure());
  const [port] = await askReady(url, agent);
  const states = watchHealth(client);
  await expect.poll(() => states, { timeout: 20_000 }).toEqual([2]);
  opening.resolve('opened');
  await during;
  expect(await askReady(url, agent)).toEqual([port, 503]);
  const ingested: string[] = [];
  entrance.serve(served(ingested));
  expect(await askReady(url, agent)).toEqual([port, 200]);
  expect((await post(url, agent)).statusCode).toBe(200);
  expect(await callOver(client, TRACES_PATH)).toBeNull();
  expect(ingested).toEqual(['traces', 'traces']);
  await expect.poll(() => states, { timeout: 20_000 }).toEqual([2, 1]);
  expect(await (await fetch(`${url}/metrics`)).text()).toBe('metrics');
  expect([await entrance.openHttp(), await entrance.openGrpc()].map(String)).toEqual([url, grpc].map(portOf));
  client.close();
  agent.destroy();
});

it('throws why the store was not opened, and says nothing of one that opens at once', async () => {
  const failing = roomOf();
  const opening = Promise.withResolvers<never>();
  const during = failing.room.during(opening.promise, entrance);
  failing.room.tell({ what: 'opening', done: 0, total: 0 });
  const { url } = await failing.listening();
  opening.reject(new ReenactError('store-failed', 'It is damaged.'));
  await expect(during).rejects.toThrow('It is damaged.');
  await entrance.stop();
  await expect(fetch(`${url}/health/live`)).rejects.toThrow();

  const quick = roomOf();
  expect(await quick.room.during(Promise.resolve(1), entrance)).toBe(1);
  expect(quick.lines).toEqual([]);
});

it('tells of a port that it cannot have, and listens at the other', async () => {
  roomOf();
  const taken = entrance;
  const httpPort = await taken.openHttp();
  const { room, lines } = roomOf({ httpPort });
  const opening = Promise.withResolvers<string>();
  const during = room.during(opening.promise, entrance);
  room.tell({ what: 'opening', done: 0, total: 0 });
  const said = () => lines.find(({ event }) => event === 'listening while the store opens');
  await expect.poll(said, { timeout: 20_000 }).toMatchObject({ grpcPort: expect.any(Number) });
  expect(said()).not.toHaveProperty('httpPort');
  expect(lines).toContainEqual(expect.objectContaining({ event: 'not listening while the store opens' }));
  opening.resolve('opened');
  await during;
  await expect(entrance.openHttp()).rejects.toMatchObject({ code: 'port-taken' });
  await taken.stop();
  expect(await entrance.openHttp()).toBe(httpPort);
});
