import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ThreeServices } from './three-services.ts';

let three: ThreeServices;
let traceId: string;
let rootSpanId: string;
let effects: unknown;

beforeAll(async () => {
  three = await ThreeServices.set();
  await three.start(true);
  expect(await three.ask()).toEqual({ advice: 'I sold 1,000 shares, as you asked.', by: 'gateway' });
  ({ traceId, rootSpanId } = await three.askedRun());
  effects = [three.book, three.providerRequests];
  expect(effects).toEqual(['sold 1000\n', 2]);
});

afterAll(() => three.stop());

const throughTool = ['--live', 'mcp:desk/place_order', '--live', 'mcp:streamable-http/initialize'];

describe('one request through three services', { timeout: 120_000 }, () => {
  it('is one recording, replayed in the running services by one span id', async () => {
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared', divergences: [], traceId });
    expect(report.counts).toMatchObject({ rerun: 3, stubbed: 4, live: 0, refused: 0, unconsumed: 0, compared: 7 });
    expect([...new Set(report.crossings.map(({ service }) => service))].sort()).toEqual(['advisor', 'gateway']);
    expect(report.notes.join('\n')).toMatch(/advisor .* took part beside its ordinary traffic/);
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('reaches the tool server where its tool runs live, and what the tool does is still served', async () => {
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl, ...throughTool]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    const entered = report.crossings.find(({ path }) => path.endsWith('/tool:enter'));
    expect(entered).toMatchObject({ service: 'desk', answer: 'stub' });
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('is entered in the middle by the span id of a service of its own', async () => {
    const { crossings } = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    const spanId = crossings.find(({ path }) => path.endsWith('/agent:POST /run'))?.recordedSpanId ?? '';
    const report = await three.replay([spanId, '--url', three.urlOf('advisor')]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, rootSpanId: spanId });
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['advisor']));
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('is replayed by a command of its own that calls the running ones', async () => {
    const report = await three.replay([rootSpanId, '--services', '--', 'node', 'gateway.ts'], {
      AGENT_URL: three.urlOf('advisor'),
      OTEL_SERVICE_NAME: 'gateway',
    });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'shared' });
    expect(new Set(report.crossings.map(({ service }) => service))).toEqual(new Set(['gateway', 'advisor']));
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('is served at the first hop by a command of its own that calls nobody', async () => {
    const report = await three.replay([rootSpanId, '--', 'node', 'gateway.ts'], { AGENT_URL: three.urlOf('advisor') });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, process: 'dedicated' });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 1 });
  });
});

describe('a change in one service', { timeout: 120_000 }, () => {
  it('is told with its path and the service, and nothing happens for real', async () => {
    await three.start(true, { advisor: { ADVISOR_RULE: 'Be careful.' } });
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    expect(report.exitCode).toBe(1);
    const [first] = report.divergences;
    expect(first).toMatchObject({ kind: 'input-changed', service: 'advisor' });
    expect(first?.path).toMatch(/^agent:POST \/ask\/http:POST [\d.:]+\/agent:POST \/run\/model:openai\.chat$/);
    expect(first?.source?.file).toMatch(/advise\.ts$/);
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('is told of the tool server as well', async () => {
    await three.start(true, { desk: { DESK_REMARK: '!' } });
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl, ...throughTool]);
    expect(report.exitCode).toBe(1);
    const [first] = report.divergences;
    expect(first).toMatchObject({ kind: 'output-changed', service: 'advisor' });
    expect(first?.path).toMatch(/\/mcp:desk\/place_order$/);
    expect([three.book, three.providerRequests]).toEqual(effects);
  });
});

describe('services that do not take part', { timeout: 120_000 }, () => {
  it('are sent nothing: neither the first one', async () => {
    await three.start(false);
    const refused = await three.stage.reenact(['replay', rootSpanId, '--url', three.gatewayUrl], three.replaying);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/launch-failed.*takes no part.*REENACT_REPLAY_ALLOW=shared/s);
  });

  it('nor one behind it', async () => {
    await three.start(true, { advisor: { REENACT_REPLAY_ALLOW: '' } });
    const report = await three.replay([rootSpanId, '--url', three.gatewayUrl]);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 1, refused: 0, unconsumed: 0 });
    expect(report.notes.join('\n')).toMatch(/http:POST [\d.:]+ was not sent, but served.*does not take part/);
    expect([three.book, three.providerRequests]).toEqual(effects);
  });

  it('and of all these replays nothing was recorded', async () => {
    await three.stopServices();
    const names = (await three.runs()).map(({ name }) => name);
    expect(names.filter((name) => name === 'agent:POST /ask' || name === 'agent:POST /run')).toEqual([
      'agent:POST /ask',
    ]);
  });
});
