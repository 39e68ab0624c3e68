import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CollectorConfigInput, RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { ReplayServiceClient } from '@reenact/collector-client/replay-service';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const token = (name: string) => `token-of-${name}-with-many-characters`;

function described(name: string, scopes: ('ingest' | 'read' | 'replay' | 'admin')[], more: object = {}) {
  return { name, sha256: createHash('sha256').update(token(name)).digest('hex'), scopes, ...more };
}

const tokens = [
  described('shop-app', ['ingest'], { tenant: 'shop' }),
  described('shop-people', ['read'], { tenant: 'shop' }),
  described('bank-app', ['ingest'], { tenant: 'bank' }),
  described('bank-people', ['read', 'replay'], { tenant: 'bank' }),
  described('gateway', ['ingest', 'read'], { tenant: 'shop', otherTenants: ['bank'] }),
  described('operator', ['admin'], { otherTenants: ['*'] }),
];

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start({ tokens });
});
afterAll(() => testbed.dispose());

const headersOf = (name?: string, tenant?: string): Record<string, string> => ({
  ...(name === undefined ? {} : { authorization: `Bearer ${token(name)}` }),
  ...(tenant === undefined ? {} : { 'x-scope-orgid': tenant }),
});

function bodyOf(number: number): Buffer {
  const span = makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) });
  return Buffer.from(encodeTracesProtobuf(wrapSpans([span])));
}

async function post(number: number, name?: string, tenant?: string): Promise<number> {
  const headers = { 'content-type': 'application/x-protobuf', ...headersOf(name, tenant) };
  const url = `${collector.httpUrl}/v1/traces`;
  return (await fetch(url, { method: 'POST', headers, body: bodyOf(number) })).status;
}

async function read(number: number, name?: string, tenant?: string): Promise<number> {
  const url = `${collector.httpUrl}/api/v1/recordings/${traceIdOf(number)}`;
  return (await fetch(url, { headers: headersOf(name, tenant) })).status;
}

interface Called {
  readonly code: number;
  readonly details: string;
}

function exportByGrpc(
  address: string,
  body: Buffer,
  headers: Record<string, string>,
  credentials?: InstanceType<Grpc['ChannelCredentials']>,
): Promise<Called> {
  const client = new grpc.Client(new URL(address).host, credentials ?? grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  const keep = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(TRACES, keep, keep, body, metadata, (error) => {
      client.close();
      resolve({ code: error?.code ?? 0, details: error?.details ?? '' });
    });
  });
}

describe('a collector with tokens, over HTTP', () => {
  it.each([
    ['no token', undefined, undefined, 401],
    ['a token it does not know', 'nobody', undefined, 401],
    ['a token that may only read', 'shop-people', undefined, 403],
    ['a token that may ingest', 'shop-app', undefined, 200],
    ['admin, which includes it', 'operator', undefined, 200],
    ['a tenant the token may not name', 'shop-app', 'bank', 403],
    ['a tenant the token may name', 'gateway', 'bank', 200],
    ['a tenant that is none of those it may name', 'gateway', 'mint', 403],
    ['any tenant, which it may name', 'operator', 'mint', 200],
    ['a name that is no tenant', 'operator', '../bank', 403],
    ['a name that begins like one', 'operator', 'bank/../shop', 403],
    ['a name that is too long', 'operator', 'b'.repeat(129), 403],
  ])('answers an export with %s', async (_label, name, tenant, status) => {
    expect(await post(1, name, tenant)).toBe(status);
  });

  it('says of a name that is no tenant that it is none, where the token may name any', async () => {
    const headers = { 'content-type': 'application/json', ...headersOf('operator', '../bank') };
    const answer = await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body: '{}' });
    expect(await answer.text()).toMatch(/no name of a tenant.*Use letters, digits/);
  });

  it('says what to send, before it reads the request', async () => {
    const response = await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', body: Buffer.alloc(2_000_000) });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.text()).toContain('REENACT_TOKEN');
  });

  it('keeps tenants apart: the same ids are two recordings, and nobody reads the other', async () => {
    expect(await post(7, 'shop-app')).toBe(200);
    expect(await read(7, 'shop-people')).toBe(200);
    expect(await read(7, 'bank-people')).toBe(404);
    expect(await read(7, 'shop-people', 'bank')).toBe(403);
    expect(await read(7, 'operator', 'shop')).toBe(200);
    expect(await read(7, 'operator')).toBe(404);
    expect(await post(7, 'bank-app')).toBe(200);
    expect(await read(7, 'bank-people')).toBe(200);
    expect((await collector.stats()).received.deduplicated).toBe(0);
  });

  it('answers about health without a token, and nothing else', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await fetch(`${collector.httpUrl}${path}`)).status).toBe(200);
    }
    for (const path of ['/api/v1/runs', '/api/v1/stats', '/metrics', '/health', '/nothing']) {
      expect((await fetch(`${collector.httpUrl}${path}`)).status).toBe(401);
    }
  });
});

describe('a collector with tokens, over gRPC', () => {
  it.each([
    ['no token', undefined, 16],
    ['a token it does not know', 'nobody', 16],
    ['a token that may only read', 'bank-people', 7],
    ['a token that may ingest', 'bank-app', 0],
  ])('answers an export with %s', async (_label, name, code) => {
    expect((await exportByGrpc(collector.grpcUrl, bodyOf(9), headersOf(name))).code).toBe(code);
  });

  it('stores for the tenant of the token', async () => {
    await exportByGrpc(collector.grpcUrl, bodyOf(10), headersOf('bank-app'));
    expect(await read(10, 'bank-people')).toBe(200);
    expect(await read(10, 'shop-people')).toBe(404);
  });

  it('relays replays only for tokens that may replay', async () => {
    const access = { replayId: 'r', proof: 'p' };
    const register = async (name?: string) => {
      const client = new ReplayServiceClient(collector.grpcUrl, name === undefined ? undefined : token(name));
      try {
        await client.registerReplay(access, '', Buffer.from('recording'), 10_000);
        return 'done';
      } catch (thrown) {
        return Reflect.get(thrown as object, 'code') as string;
      } finally {
        client.close();
      }
    };
    expect(await register()).toBe('unauthenticated');
    expect(await register('shop-people')).toBe('access-denied');
    expect(await register('bank-people')).toBe('done');
  });

  it("leaves another tenant's replay to whoever has its key", async () => {
    const access = { replayId: 'of-the-operator', proof: 'key' };
    const operator = new ReplayServiceClient(collector.grpcUrl, token('operator'));
    const bank = new ReplayServiceClient(collector.grpcUrl, token('bank-people'));
    await operator.registerReplay(access, '', Buffer.from('recording'), 60_000);
    const guessed = { ...access, proof: 'guessed' };
    const over = new Promise((resolve) => {
      bank.joinReplay(guessed, 'one', 'agent', { ready: resolve, flush: () => undefined, over: resolve });
    });
    const denied = { code: 'replay-denied' };
    expect(await over).toMatchObject(denied);
    await expect(bank.reportEvents(guessed, 'one', Buffer.from('x'), 0)).rejects.toMatchObject(denied);
    await expect(bank.gatherReports(guessed, 10)).rejects.toMatchObject(denied);
    await expect(bank.endReplay(guessed)).rejects.toMatchObject(denied);
    expect(await operator.gatherReports(access, 10)).toMatchObject({ participants: [] });
    await operator.endReplay(access);
    operator.close();
    bank.close();
  });
});

describe('the client of a collector with tokens', () => {
  it('sends its token, and says what is missing where it has none', async () => {
    const url = collector.httpUrl;
    const people = createCollectorClient({ url, token: token('bank-people') });
    const listed = (await people.listRuns()).runs.map(({ traceId }) => traceId);
    expect(listed.toSorted()).toEqual([1, 7, 9, 10].map(traceIdOf));
    await expect(createCollectorClient({ url }).listRuns()).rejects.toMatchObject({ code: 'unauthenticated' });
    const wrong = createCollectorClient({ url, token: token('bank-app') });
    await expect(wrong.listRuns()).rejects.toMatchObject({
      code: 'access-denied',
      next: expect.stringContaining('scopes'),
    });
  });
});

describe('a collector without tokens', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.test', '127.evil.test'])('does not listen on %s', async (host) => {
    await expect(testbed.start({ host })).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining(host),
      next: expect.stringContaining('reenact config token'),
    });
  });

  it('does where it has some', async () => {
    const open = await testbed.start({ host: '0.0.0.0', tokens });
    const { port } = new URL(open.httpUrl);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/runs`)).status).toBe(401);
  });

  it('has one tenant, and says so to who names another', async () => {
    const open = await testbed.start();
    const answers = ['default', 'other'].map((tenant) =>
      fetch(`${open.httpUrl}/api/v1/runs`, { headers: headersOf(undefined, tenant) }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 403]);
  });
});

describe('what cannot be a token', () => {
  it.each<[string, CollectorConfigInput]>([
    ['two with one name', { tokens: [described('a', ['read']), { ...described('b', ['read']), name: 'a' }] }],
    ['two with one digest', { tokens: [described('a', ['read']), { ...described('a', ['read']), name: 'b' }] }],
    ['a file that does not exist', { tokensFile: join('nowhere', 'tokens.json') }],
  ])('%s', async (_label, config) => {
    await expect(testbed.start(config)).rejects.toMatchObject({ code: 'bad-config' });
  });
});
