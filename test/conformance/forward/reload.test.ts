import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CollectorConfigInput, checkCollectorConfig, type RunningCollector } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../receiver/certificates/${name}.pem`, import.meta.url));

const testbed = new Testbed();
const lines: string[] = [];
afterEach(async () => {
  await testbed.dispose();
  lines.splice(0);
});

const logged = (event: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);

/** So long a wait that nothing is delivered again by it alone. */
const NO_RETRY = { forwardBackoffFirstMs: 600_000, forwardBackoffMaxMs: 600_000 };

/** A collector that forwards to one destination, and looks at files all the time. */
function startNear(destination: object, limits: object = NO_RETRY): Promise<RunningCollector> {
  const forward = [{ name: 'far', content: 'full', ...destination }] as CollectorConfigInput['forward'];
  const config = { forward, logLevel: 'info' as const, limits: { accessCheckMs: 5, ...limits } };
  return testbed.start(config, { log: (line) => void lines.push(line) });
}

async function newFile(name: string): Promise<{ path: string; replace: (text: string) => Promise<void> }> {
  const path = join(await testbed.directory(), name);
  const replace = async (text: string) => {
    await writeFile(`${path}.next`, text);
    await rename(`${path}.next`, path);
  };
  return { path, replace };
}

async function send(collector: RunningCollector, ...numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    const span = makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) });
    expect((await postSpans(collector.httpUrl, [span])).status).toBe(200);
  }
}

async function healthOf(collector: RunningCollector) {
  const [health] = (await collector.stats()).forward;
  if (health === undefined) throw new Error('no destination');
  return health;
}

const untilDenied = (collector: RunningCollector) =>
  eventually('a delivery that failed', async () => !(await healthOf(collector)).isHealthy);

const untilDelivered = (collector: RunningCollector, count: number) =>
  eventually(`${count} delivered`, async () => (await healthOf(collector)).delivered === count);

const protocols = [
  ['http', ({ httpUrl }: RunningCollector) => httpUrl],
  ['grpc', ({ grpcUrl }: RunningCollector) => grpcUrl],
] as const;

const entry = (token: string) => ({
  name: token,
  sha256: createHash('sha256').update(token).digest('hex'),
  scopes: ['ingest' as const],
});

describe.each(protocols)('the token of a destination over %s', (protocol, urlOf) => {
  it('is followed when its file changes: what was denied waits, and goes out at once with the new one', async () => {
    const accepted = await newFile('tokens.json');
    await accepted.replace(JSON.stringify([entry('old')]));
    const far = await testbed.start({ tokensFile: accepted.path });
    const presented = await newFile('token');
    await presented.replace('old\n');
    const near = await startNear({ url: urlOf(far), protocol, tokenFile: presented.path });
    await send(near, 1);
    await untilDelivered(near, 1);
    await accepted.replace(JSON.stringify([entry('new')]));
    far.reload();
    await send(near, 2, 3);
    await untilDenied(near);
    await send(near, 4);
    await presented.replace('new\n');
    await untilDelivered(near, 4);
    expect(await healthOf(near)).toMatchObject({ isHealthy: true, queued: 0, dropped: {} });
    expect((await far.stats()).store.spans).toBe(4);
    expect(logged('reloaded')).toMatchObject([{ what: 'credentials of far' }]);
  });
});

describe.each(protocols)('the certificates of a destination over %s', (protocol, urlOf) => {
  it('are followed when their files change', async () => {
    const far = await testbed.start({
      tls: { certificateFile: pathOf('server'), keyFile: pathOf('server-key'), clientCaFile: pathOf('ca') },
    });
    const directory = await testbed.directory();
    const files = { caFile: 'ca.pem', certificateFile: 'certificate.pem', keyFile: 'key.pem' };
    const tls = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, join(directory, name)]));
    await copyFile(pathOf('client'), tls.caFile ?? '');
    await copyFile(pathOf('client'), tls.certificateFile ?? '');
    await copyFile(pathOf('client-key'), tls.keyFile ?? '');
    const url = urlOf(far).replace('127.0.0.1', 'localhost');
    const near = await startNear({ url, protocol, tls }, { ...NO_RETRY, forwardTimeoutMs: 2_000 });
    await send(near, 1, 2);
    await untilDenied(near);
    await copyFile(pathOf('ca'), tls.caFile ?? '');
    await untilDelivered(near, 2);
    expect((await far.stats()).store.spans).toBe(2);
  });
});

describe('a file of a destination', () => {
  it.each([
    ['is empty', ''],
    ['holds more than a token', 'Bearer new'],
  ])('changes nothing when it %s, and that is said once, without what it holds', async (_label, text) => {
    const far = await testbed.start({ tokens: [entry('old')] });
    const presented = await newFile('token');
    await presented.replace('old');
    const near = await startNear({ url: far.httpUrl, tokenFile: presented.path });
    await presented.replace(text);
    await eventually('the refusal', async () => logged('reload refused').length > 0);
    await send(near, 1);
    await untilDelivered(near, 1);
    expect(logged('reload refused')).toMatchObject([{ what: 'credentials of far', where: 'forward.far.tokenFile' }]);
    expect(lines.join('\n')).not.toContain('Bearer new');
  });

  it('does not cut a delivery that is on its way when it changes', async () => {
    const seen: (string | undefined)[] = [];
    let answerFirst = (): void => undefined;
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      request.resume().on('end', () => {
        if (seen.length === 1) answerFirst = () => void response.end();
        else response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const presented = await newFile('token');
    await presented.replace('old');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const near = await startNear({ url, tokenFile: presented.path });
    await send(near, 1);
    await eventually('the delivery', async () => seen.length === 1);
    await presented.replace('new');
    await eventually('the reload', async () => logged('reloaded').length === 1);
    answerFirst();
    await untilDelivered(near, 1);
    await send(near, 2);
    await untilDelivered(near, 2);
    expect(seen).toEqual(['Bearer old', 'Bearer new']);
    await near.stop();
    server.close();
  });

  it.each([
    ['a token file that is not there', { tokenFile: '/nowhere/token' }, 'forward.far.tokenFile'],
    ['two tokens', { tokenFile: pathOf('ca'), headers: { authorization: 'Bearer x' } }, 'forward.0'],
    [
      'a key that does not fit',
      { tls: { certificateFile: pathOf('client'), keyFile: pathOf('server-key') } },
      'forward.far.tls.keyFile',
    ],
    ['authorities that are none', { tls: { caFile: pathOf('client-key') } }, 'forward.far.tls.caFile'],
  ])('is refused before a start: %s', (_label, more, where) => {
    const forward = [{ name: 'far', url: 'https://far.test', content: 'full' as const, ...more }];
    expect(() => checkCollectorConfig({ forward })).toThrow(expect.objectContaining({ code: 'bad-config', where }));
  });
});
