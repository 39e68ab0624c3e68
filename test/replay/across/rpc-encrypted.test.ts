import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVER_GRPC, type ServiceEnvironments, ThreeServices } from './three-services.ts';

const certificates = fileURLToPath(new URL('../../conformance/receiver/certificates', import.meta.url));
const trusting = { NODE_EXTRA_CA_CERTS: join(certificates, 'ca.pem') };
const encrypted: NodeJS.ProcessEnv = { RPC_CERTIFICATES: certificates };
const environments: ServiceEnvironments = { gateway: encrypted, advisor: encrypted, risk: encrypted };

let services: ThreeServices;
let rootSpanId: string;
let effects: unknown;

const done = (): unknown => [services.book, services.providerRequests];

beforeAll(async () => {
  services = await ThreeServices.set(OVER_GRPC);
  await services.start(true, environments);
  expect(await services.ask()).toEqual({ advice: 'I sold 1,000 shares, as you asked.', by: 'gateway' });
  ({ rootSpanId } = await services.askedRun(16));
  effects = done();
});

afterAll(() => services.stop());

describe('gRPC services that speak TLS', { timeout: 120_000 }, () => {
  it('are asked over their own channel, and replay one request together', async () => {
    const report = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect([...new Set(report.crossings.map(({ service }) => service))].sort()).toEqual(['advisor', 'gateway', 'risk']);
    expect(done()).toEqual(effects);
  });

  it('are entered by grpcs, with a certificate that is checked', async () => {
    const { crossings } = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    const advised = crossings.find(({ path }) => path.endsWith('/agent:across.Advisor/Advise'))?.recordedSpanId ?? '';
    const url = services.urlOf('advisor').replace('http:', 'grpcs:');
    const report = await services.replay([advised, '--url', url], trusting);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, rootSpanId: advised });
    const refused = await services.stage.reenact(['replay', advised, '--url', url], services.replaying);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/launch-failed.*certificate.*NODE_EXTRA_CA_CERTS/s);
    expect(done()).toEqual(effects);
  });

  it('are not sent a call that asks in plain text', async () => {
    const url = services.urlOf('advisor').replace('http:', 'grpc:');
    const { crossings } = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    const advised = crossings.find(({ path }) => path.endsWith('/agent:across.Advisor/Advise'))?.recordedSpanId ?? '';
    const refused = await services.stage.reenact(['replay', advised, '--url', url], services.replaying);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/launch-failed.*could not be asked.*grpcs:\/\/ where it speaks TLS/s);
    expect(done()).toEqual(effects);
  });
});
