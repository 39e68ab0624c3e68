import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput, RunningCollector } from '@reenact/collector';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, Testbed, wrapSpans } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()])));

const testbed = new Testbed();
const lines: string[] = [];
afterEach(async () => {
  await testbed.dispose();
  lines.splice(0);
});

function start(config: CollectorConfigInput): Promise<RunningCollector> {
  return testbed.start({ logLevel: 'info', ...config }, { log: (line) => void lines.push(line) });
}

const logged = (event: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);
/** A change is looked for all the time, or, as good as, never. */
const SOON = { limits: { accessCheckMs: 5 } };
const NEVER = { limits: { accessCheckMs: 2 ** 30 } };

describe('the file of tokens', () => {
  const entry = (token: string, scopes: readonly string[] = ['ingest']) => ({
    name: token,
    sha256: createHash('sha256').update(token).digest('hex'),
    scopes,
  });

  async function startWith(first: string, more: CollectorConfigInput) {
    const file = join(await testbed.directory(), 'tokens.json');
    await writeFile(file, JSON.stringify([entry(first)]));
    const { httpUrl, reload } = await start({ tokensFile: file, ...more });
    /** In one step: a file that is half written is another one. */
    const replace = async (text: string) => {
      await writeFile(`${file}.next`, text);
      await rename(`${file}.next`, file);
    };
    const post = async (token: string) => {
      const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}` };
      return (await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers, body })).status;
    };
    return { replace, post, reload };
  }

  it('is followed when it changes: the new token is let in and the old one is not', async () => {
    const { replace, post } = await startWith('old', SOON);
    expect([await post('old'), await post('new')]).toEqual([200, 401]);
    await replace(JSON.stringify([entry('new')]));
    await eventually('the new token', async () => (await post('new')) === 200);
    expect(await post('old')).toBe(401);
    expect(logged('reloaded')).toMatchObject([{ level: 'info', what: 'tokens' }]);
  });

  it('is read again when that is asked for, and not before', async () => {
    const { replace, post, reload } = await startWith('old', NEVER);
    await replace(JSON.stringify([entry('old', ['read'])]));
    expect(await post('old')).toBe(200);
    reload();
    expect(await post('old')).toBe(403);
  });

  it.each([
    ['is no JSON', '[{'],
    ['has an unknown scope', JSON.stringify([entry('new', ['everything'])])],
    ['names one token twice', JSON.stringify([entry('new'), entry('new')])],
    ['says twice whose a token is', JSON.stringify([entry('new')]).replace('}', ',"tenant":"a","tenant":"b"}')],
    ['holds no token: that would let everybody in', '[]'],
  ])('keeps the tokens in use when it %s, and says so in one line', async (_label, text) => {
    const { replace, post, reload } = await startWith('old', NEVER);
    await replace(text);
    reload();
    expect([await post('old'), await post('new')]).toEqual([200, 401]);
    expect(logged('reload refused')).toMatchObject([{ level: 'error', what: 'tokens' }]);
    expect(logged('reloaded')).toEqual([]);
  });

  it('reports a change that cannot be used once, and follows the next that can', async () => {
    const { replace, post } = await startWith('old', SOON);
    await replace('[{');
    await eventually('the refusal', async () => logged('reload refused').length > 0);
    await replace(JSON.stringify([entry('new')]));
    await eventually('the new token', async () => (await post('new')) === 200);
    expect(logged('reload refused')).toHaveLength(1);
  });
});

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url));

/** A certificate and a key behind one link, as orchestrators keep them; both certificates are good for this machine. */
async function startWith(more: CollectorConfigInput) {
  const directory = await testbed.directory();
  const live = join(directory, 'live');
  const use = async (certificate: 'client' | 'server', key: 'client' | 'server') => {
    const folder = join(directory, `${certificate} ${key}`);
    await mkdir(folder);
    await copyFile(pathOf(certificate), join(folder, 'certificate.pem'));
    await copyFile(pathOf(`${key}-key`), join(folder, 'key.pem'));
    await symlink(folder, `${live}.next`);
    await rename(`${live}.next`, live);
  };
  await use('server', 'server');
  const tls = { certificateFile: join(live, 'certificate.pem'), keyFile: join(live, 'key.pem') };
  return { collector: await start({ tls, ...more }), use };
}

const ca = readFileSync(pathOf('ca'));

/** Names of the certificates a client is shown at each handshake. */
function handshakes() {
  const names: string[] = [];
  const checkServerIdentity = (_host: string, { subject }: PeerCertificate) => {
    names.push(String(subject.CN));
    return undefined;
  };
  return { names, checkServerIdentity };
}

function httpsClient(url: string) {
  const { names, checkServerIdentity } = handshakes();
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1, checkServerIdentity, maxCachedSessions: 0 });
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      get(`${url}/health/ready`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      }).on('error', reject);
    });
  return { names, ask, close: () => agent.destroy() };
}

function grpcClient(url: string) {
  const { names, checkServerIdentity } = handshakes();
  const credentials = grpc.credentials.createSsl(ca, null, null, { checkServerIdentity });
  const client = new grpc.Client(new URL(url).host, credentials, { 'grpc.use_local_subchannel_pool': 1 });
  const keep = (bytes: Buffer) => bytes;
  const ask = () =>
    new Promise<number>((resolve) => {
      client.makeUnaryRequest(TRACES, keep, keep, body, { deadline: Date.now() + 10_000 }, (error) =>
        resolve(error?.code ?? 0),
      );
    });
  return { names, ask, close: () => client.close() };
}

describe('the files of certificates', () => {
  const transports = [
    ['HTTPS', ({ httpUrl }: RunningCollector) => httpsClient(httpUrl), 200],
    ['gRPC', ({ grpcUrl }: RunningCollector) => grpcClient(grpcUrl), 0],
  ] as const;

  it.each(transports)(
    '%s: new connections get the new one, those that are open go on',
    async (_name, connect, fine) => {
      const { collector, use } = await startWith(SOON);
      const before = connect(collector);
      expect(await before.ask()).toBe(fine);
      await use('client', 'client');
      await eventually('the reload', async () => logged('reloaded').length > 0);
      expect(await before.ask()).toBe(fine);
      const after = connect(collector);
      expect(await after.ask()).toBe(fine);
      expect([before.names, after.names]).toEqual([['server'], ['client']]);
      expect(logged('reload refused')).toEqual([]);
      before.close();
      after.close();
    },
  );

  it.each(transports)('%s: a key of another certificate changes nothing', async (_name, connect, fine) => {
    const { collector, use } = await startWith(NEVER);
    await use('server', 'client');
    collector.reload();
    expect(logged('reload refused')).toMatchObject([{ what: 'certificates', where: 'tls.keyFile' }]);
    const client = connect(collector);
    expect(await client.ask()).toBe(fine);
    expect(client.names).toEqual(['server']);
    client.close();
  });
});
