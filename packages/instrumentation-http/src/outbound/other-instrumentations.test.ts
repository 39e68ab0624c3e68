import http from 'node:http';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpInstrumentation } from '../instrumentation.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

type Request = typeof http.request;

/** Wraps what sends requests as OpenTelemetry's own instrumentation does: a `get` that calls `request` for itself. */
class OtherInstrumentation extends InstrumentationBase {
  constructor() {
    super('other', '1.0.0', { enabled: false });
  }

  protected override init(): [] {
    return [];
  }

  override enable(): void {
    this._wrap(
      http,
      'request',
      (original) => ((...parameters: Parameters<Request>) => original(...parameters)) as Request,
    );
    const { request } = http;
    this._wrap(http, 'get', () => ((...parameters: Parameters<Request>) => request(...parameters).end()) as Request);
  }

  override disable(): void {
    this._unwrap(http, 'get');
    this._unwrap(http, 'request');
  }
}

describe("an instrumentation of ours on both sides of somebody else's, as where an app has its own and the hook came before", () => {
  const other = new OtherInstrumentation();
  let ours: readonly HttpInstrumentation[];
  beforeAll(() => {
    const first = new HttpInstrumentation({ inbound: false });
    other.enable();
    ours = [first, new HttpInstrumentation({ inbound: false })];
  });
  afterAll(() => {
    ours[1]?.disable();
    other.disable();
    ours[0]?.disable();
  });

  it('makes one crossing of a request, recorded and replayed', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.end('answer'));
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const recorded = await logOf(http.get(server.url));
    detach();
    expect(calls.crossings()).toHaveLength(1);
    const player = new TapePlayer(calls.crossings());
    expect(await player.during(() => logOf(http.get(server.url)))).toEqual(recorded);
    expect([player.left, player.refusals, server.requests.length]).toEqual([[], [], 1]);
    await server.stop();
  });
});

it("leaves out what New Relic's agent sends for itself, and sends it in a replay, too", async () => {
  const instrumentation = new HttpInstrumentation({ inbound: false });
  const server = await ScriptedServer.start((_request, response) => {
    // What the agent sends is answered anew in a replay, maybe a second later.
    response.sendDate = false;
    response.end('taken');
  });
  const send = (isTelemetry: boolean) => {
    const agent = isTelemetry ? 'NewRelic-NodeAgent/13.20.0 (nodejs 24.21.0 linux-x64)' : 'shop/1.0';
    return logOf(http.request(server.url, { method: 'POST', headers: { 'User-Agent': agent } }).end('harvest'));
  };
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const recorded = [await send(true), await send(false)];
  detach();
  expect(calls.crossings()).toHaveLength(1);
  const player = new TapePlayer(calls.crossings());
  expect(await player.during(async () => [await send(true), await send(false)])).toEqual(recorded);
  expect([player.left, player.refusals, server.requests.length]).toEqual([[], [], 3]);
  await server.stop();
  instrumentation.disable();
});
