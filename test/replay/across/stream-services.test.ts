import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVER_HTTP2, ThreeServices } from './three-services.ts';

const certificates = fileURLToPath(new URL('../../conformance/receiver/certificates', import.meta.url));
const trusting = { NODE_EXTRA_CA_CERTS: join(certificates, 'ca.pem') };

const wires: readonly (readonly [string, 'http' | 'https', NodeJS.ProcessEnv])[] = [
  ['in plain text', 'http', {}],
  ['over TLS', 'https', { STREAM_CERTIFICATES: certificates }],
];

describe.each(wires)('services that speak HTTP/2 %s', { timeout: 120_000 }, (_name, scheme, environment) => {
  const environments = { gateway: environment, advisor: environment };
  let three: ThreeServices;
  let rootSpanId: string;
  let advisedSpanId: string;
  let effects: unknown;
  const done = (): unknown => [three.book, three.providerRequests];
  const advisorUrl = (): string => three.urlOf('advisor').replace('http:', `${scheme}:`);

  beforeAll(async () => {
    three = await ThreeServices.set(OVER_HTTP2);
    await three.start(true, environments);
    expect(await three.ask()).toEqual({ advice: 'I sold 1,000 shares, as you asked.', by: 'gateway' });
    ({ rootSpanId } = await three.askedRun());
    effects = done();
    expect(effects).toEqual(['sold 1000\n', 2]);
    const { crossings } = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    advisedSpanId = crossings.find(({ path }) => path.endsWith('/agent:POST /run'))?.recordedSpanId ?? '';
  });

  afterAll(() => three.stop());

  it('replay one request together: the hop is asked, and its service runs again', async () => {
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared', divergences: [] });
    expect(report.counts).toMatchObject({ rerun: 3, stubbed: 4, live: 0, refused: 0, unconsumed: 0 });
    expect([...new Set(report.crossings.map(({ service }) => service))].sort()).toEqual(['advisor', 'gateway']);
    expect(done()).toEqual(effects);
  });

  it('are entered in the middle by the request that came there', async () => {
    const report = await three.replay([advisedSpanId, '--url', advisorUrl()], trusting);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, rootSpanId: advisedSpanId });
    expect(report.notes.join()).not.toMatch(/was sent by/);
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['advisor']));
    expect(done()).toEqual(effects);
  });

  it('are called where they run by a command of its own', async () => {
    const command = [rootSpanId, '--services', '--', 'node', 'stream-gateway.ts'];
    const own = { AGENT_URL: three.urlOf('advisor'), OTEL_SERVICE_NAME: 'gateway', ...environment };
    const report = await three.replay(command, own);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared' });
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['gateway', 'advisor']));
    expect(done()).toEqual(effects);
  });

  it('are sent nothing where they take no part, and the report says so', async () => {
    await three.start(true, { ...environments, advisor: { ...environment, REENACT_REPLAY_ALLOW: '' } });
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(report.notes.join('\n')).toMatch(/was not sent, but served as it was recorded/);
    expect(done()).toEqual(effects);
    const refused = await three.stage.reenact(['replay', advisedSpanId, '--url', advisorUrl()], {
      ...three.replaying,
      ...trusting,
    });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/launch-failed.*takes no part in replays/s);
  });
});
