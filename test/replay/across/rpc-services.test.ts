import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVER_GRPC, ThreeServices } from './three-services.ts';

let services: ThreeServices;
let traceId: string;
let rootSpanId: string;
/** Of the run that the gRPC call of the gateway entered. */
let advisedSpanId: string;
let effects: unknown;

const crossingCount = 16;
const done = (): unknown => [services.book, services.providerRequests];

beforeAll(async () => {
  services = await ThreeServices.set(OVER_GRPC);
  await services.start(true);
  expect(await services.ask()).toEqual({ advice: 'I sold 1,000 shares, as you asked.', by: 'gateway' });
  ({ traceId, rootSpanId } = await services.askedRun(crossingCount));
  effects = done();
  expect(effects).toEqual(['assessed 1000\npriced 1\npriced 2\nsold 1000\n', 2]);
  const { crossings } = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
  const advised = crossings.find(({ path }) => path.endsWith('/agent:across.Advisor/Advise'));
  advisedSpanId = advised?.recordedSpanId ?? '';
});

afterAll(() => services.stop());

function grpcUrl(name: 'advisor' | 'risk'): string {
  return services.urlOf(name).replace('http:', 'grpc:');
}

describe('one request through gRPC services', { timeout: 120_000 }, () => {
  it('is one recording, replayed in the running services by one span id', async () => {
    const report = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared', divergences: [], traceId });
    expect(report.counts).toMatchObject({ rerun: 7, live: 0, refused: 0, unconsumed: 0 });
    expect([...new Set(report.crossings.map(({ service }) => service))].sort()).toEqual(['advisor', 'gateway', 'risk']);
    // Decided by a timer in the innermost service: in its replay the recorded answer is there before any real time passes.
    expect(report.crossings.filter(({ path }) => path.endsWith('/tool:opinion')).map(({ answer }) => answer)).toEqual([
      'stub',
    ]);
    expect(done()).toEqual(effects);
  });

  it('is entered in the middle by a gRPC call', async () => {
    const report = await services.replay([advisedSpanId, '--url', grpcUrl('advisor')]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, rootSpanId: advisedSpanId });
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['advisor', 'risk']));
    expect(done()).toEqual(effects);
  });

  it('is replayed by a command of its own that calls the running ones', async () => {
    const report = await services.replay([rootSpanId, '--services', '--', 'node', 'rpc-gateway.ts'], {
      AGENT_ADDRESS: new URL(services.urlOf('advisor')).host,
      OTEL_SERVICE_NAME: 'gateway',
    });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared' });
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['gateway', 'advisor', 'risk']));
    expect(done()).toEqual(effects);
  });

  it('is served at the first hop by a command of its own that calls nobody', async () => {
    const report = await services.replay([rootSpanId, '--', 'node', 'rpc-gateway.ts'], {
      AGENT_ADDRESS: new URL(services.urlOf('advisor')).host,
    });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'dedicated' });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 1 });
  });
});

describe('a change in the innermost service', { timeout: 120_000 }, () => {
  it('is told with its path and the service, and nothing happens for real', async () => {
    await services.start(true, { risk: { RISK_LIMIT: '100' } });
    const report = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    expect(report.exitCode).toBe(1);
    expect(report.divergences.map(({ kind, service }) => [kind, service])).toEqual([['input-changed', 'risk']]);
    const [first] = report.divergences;
    expect(first?.path).toMatch(/\/rpc:across\.Risk\/Assess\/agent:across\.Risk\/Assess\/tool:assess$/);
    expect(first?.source?.file).toMatch(/risk\.ts$/);
    expect(done()).toEqual(effects);
  });
});

describe('a gRPC service that takes no part', { timeout: 120_000 }, () => {
  it('is sent nothing: what it answered is served, and the report says so', async () => {
    await services.start(true, { risk: { REENACT_REPLAY_ALLOW: '' } });
    const report = await services.replay([rootSpanId, '--url', services.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(report.notes.join('\n')).toMatch(/rpc:across\.Risk\/Assess was not sent, but served as it was recorded/);
    const [told] = report.repeatedNotes?.filter(({ text }) => text.includes('was not sent')) ?? [];
    expect(told?.paths.map((path) => path.split('/').at(-1))).toEqual(['Assess', 'Watch']);
    const answers = report.crossings.filter(({ path }) => /rpc:across\.Risk\/\w+$/.test(path));
    expect(answers.map(({ answer }) => answer)).toEqual(['stub', 'stub']);
    expect(report.counts.unconsumed).toBe(0);
    expect(done()).toEqual(effects);
  });

  it('is not entered', async () => {
    await services.start(true, { advisor: { REENACT_REPLAY_ALLOW: '' } });
    const parameters = ['replay', advisedSpanId, '--url', grpcUrl('advisor')];
    const refused = await services.stage.reenact(parameters, services.replaying);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/launch-failed.*takes no part.*REENACT_REPLAY_ALLOW=shared/s);
    expect(done()).toEqual(effects);
  });

  it('and of all these replays nothing was recorded', async () => {
    await services.stopServices();
    const names = (await services.runs()).map(({ name }) => name);
    expect(names.filter((name) => /POST \/ask|across\./.test(name))).toEqual(['agent:POST /ask']);
  });
});
