import { readFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput } from '@reenact/collector';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually, makeSpan, Testbed, wrapSpans } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url));
const ca = readFileSync(pathOf('ca'));
const cert = readFileSync(pathOf('client'));
const key = readFileSync(pathOf('client-key'));
const TLS = { certificateFile: pathOf('server'), keyFile: pathOf('server-key') };
const MUTUAL = { ...TLS, clientCaFile: pathOf('ca') };

const testbed = new Testbed();
afterAll(() => testbed.dispose());

/** The status of the answer, or the code of the failure. */
function ask(url: string, options: RequestOptions): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(`${url}/health/ready`, { agent: false, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', (error) => resolve('failed' in error ? 'failed' : error.name));
  });
}

function exportSpan(url: string, credentials: ReturnType<Grpc['credentials']['createSsl']>): Promise<number> {
  const client = new grpc.Client(new URL(url).host, credentials);
  const keep = (bytes: Buffer) => bytes;
  const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()])));
  return new Promise((resolve) => {
    client.makeUnaryRequest(TRACES, keep, keep, body, { deadline: Date.now() + 10_000 }, (error) => {
      client.close();
      resolve(error?.code ?? 0);
    });
  });
}

describe('TLS', () => {
  it('encrypts HTTP and gRPC with the certificate that is configured', async () => {
    const { httpUrl, grpcUrl } = await testbed.start({ tls: TLS });
    expect([httpUrl, grpcUrl].every((url) => url.startsWith('https://'))).toBe(true);
    expect(await ask(httpUrl, { ca })).toBe(200);
    expect(await ask(httpUrl, {})).toBe('Error');
    expect((await fetch(httpUrl.replace('https', 'http'))).status).toBe(503);
    expect(await exportSpan(grpcUrl, grpc.credentials.createSsl(ca))).toBe(0);
    expect(await exportSpan(grpcUrl, grpc.credentials.createInsecure())).toBe(grpc.status.UNAVAILABLE);
  });

  it('with clientCaFile takes only senders whose certificate is signed by it', async () => {
    const { httpUrl, grpcUrl } = await testbed.start({ tls: MUTUAL });
    expect(await ask(httpUrl, { ca, cert, key })).toBe(200);
    expect(await ask(httpUrl, { ca })).toBe('Error');
    expect(await exportSpan(grpcUrl, grpc.credentials.createSsl(ca, key, cert))).toBe(0);
    expect(await exportSpan(grpcUrl, grpc.credentials.createSsl(ca))).toBe(grpc.status.UNAVAILABLE);
  });
});

describe('a sender whose connection cannot be encrypted', () => {
  const shown = (name: string) => ({ cert: readFileSync(pathOf(name)), key: readFileSync(pathOf(`${name}-key`)) });
  const senders = [
    ['shows no certificate', {}, 'showed no certificate', 'show it only where an authority'],
    ['shows one of nobody known', shown('stranger'), 'not trusted: DEPTH_ZERO_SELF_SIGNED_CERT', 'valid now'],
  ] as const;

  async function startAndListen() {
    const told: unknown[] = [];
    const running = await testbed.start({ tls: MUTUAL }, { log: (line) => void told.push(JSON.parse(line)) });
    return { ...running, told };
  }

  it.each(senders)('is told in the log once over HTTP, with what to do, where it %s', async (...sender) => {
    const [, identity, message, next] = sender;
    const { httpUrl, told } = await startAndListen();
    expect(await ask(httpUrl, { ca, ...identity })).toBe('Error');
    expect(await ask(httpUrl, { ca, cert, key })).toBe(200);
    expect(told).toMatchObject([
      { transport: 'http', count: 1, peer: '127.0.0.1', message: expect.stringContaining(message) },
    ]);
    expect(told).toMatchObject([{ next: expect.stringContaining(next) }]);
  });

  it.each(senders)('is told in the log over gRPC, with what to do, where it %s', async (...sender) => {
    const [, identity, message, next] = sender;
    const { grpcUrl, told } = await startAndListen();
    const { cert: chain = null, key: own = null } = { cert: null, key: null, ...identity };
    expect(await exportSpan(grpcUrl, grpc.credentials.createSsl(ca, own, chain))).toBe(grpc.status.UNAVAILABLE);
    await eventually('the line', async () => told.length > 0);
    expect(told).toMatchObject([
      { transport: 'grpc', count: 1, peer: '127.0.0.1', message: expect.stringContaining(message) },
    ]);
    expect(told).toMatchObject([{ next: expect.stringContaining(next) }]);
  });
});

describe('TLS files that cannot be used', () => {
  it.each<[string, NonNullable<CollectorConfigInput['tls']>, string]>([
    ['a certificate that is not there', { ...TLS, certificateFile: pathOf('gone') }, 'tls.certificateFile'],
    ['a certificate that is none', { ...TLS, certificateFile: pathOf('server-key') }, 'tls.certificateFile'],
    ['a key of another certificate', { ...TLS, keyFile: pathOf('client-key') }, 'tls.keyFile'],
    ['an authority that is none', { ...TLS, clientCaFile: pathOf('server-key') }, 'tls.clientCaFile'],
  ])('%s is named before anything is opened', async (_label, tls, where) => {
    await expect(testbed.start({ tls })).rejects.toMatchObject({ code: 'bad-config', where });
  });
});
