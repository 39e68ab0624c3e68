import Anthropic, { type Middleware } from '@anthropic-ai/sdk';
import { LLMock } from '@copilotkit/aimock';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emitsOwnSpans, instrumentAnthropic } from './index.ts';

const mock = new LLMock({ port: 0, chunkSize: 5 });
const prototype = Object.getOwnPropertyDescriptors(Anthropic.prototype);
let calls: RecordedCalls;
let detach: () => void;
beforeEach(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  mock.on({ model: 'missing' }, { error: { message: 'no such model', type: 'not_found_error' }, status: 404 });
  mock.onMessage('hello', { content: 'Hi there!' });
  await mock.start();
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(async () => {
  detach();
  await mock.stop();
  context.disable();
  expect(Object.getOwnPropertyDescriptors(Anthropic.prototype)).toEqual(prototype);
});

type APIRequest = Parameters<Middleware>[0];

const asked = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'hello' }] };

function clientAt(baseURL: string, apiKey: string | (() => Promise<string>) = 'sk-ant-secret'): Anthropic {
  return instrumentAnthropic(new Anthropic({ apiKey, baseURL, logLevel: 'off', maxRetries: 0 }));
}

async function exercise(client: Anthropic): Promise<unknown> {
  const message = await client.messages.create({ ...asked, model: 'claude' });
  const stream = client.withOptions({ timeout: 10_000 }).messages.stream({ ...asked, model: 'claude' });
  const { error } = await endOf(() => client.messages.create({ ...asked, model: 'missing' }));
  const isOwn = error instanceof Anthropic.NotFoundError;
  return { message, final: await stream.finalMessage(), isOwn, said: (error as Error).message };
}

describe('one instrumented client, against a provider that speaks the true protocol', () => {
  it('is recorded with its copies and without its key, and replayed with the provider gone', async () => {
    const recorded = await exercise(clientAt(mock.url));
    expect(recorded).toMatchObject({ message: { content: [{ text: 'Hi there!' }] }, isOwn: true });
    expect(calls.facts.map(({ outcome }) => outcome.type).sort()).toEqual(['ended', 'returned', 'threw']);
    expect(calls.facts[0]?.boundary.sdk).toBe('@anthropic-ai/sdk@1.14.0');
    expect(JSON.stringify(calls.facts, (_, value) => (typeof value === 'bigint' ? '' : value))).not.toContain('secret');
    const crossings = calls.crossings();
    detach();
    const neverAsked = (): Promise<string> => Promise.reject(new TypeError('no credentials on this machine'));
    const player = new TapePlayer(crossings);
    const replayed = await player.during(() => exercise(clientAt('http://127.0.0.1:9', neverAsked)));
    expect(replayed).toEqual(recorded);
    expect([player.refusals, player.left]).toEqual([[], []]);
  });

  it('records no other client, and once what is instrumented twice', async () => {
    await new Anthropic({ apiKey: 'k', baseURL: mock.url }).messages.create({ ...asked, model: 'claude' });
    await instrumentAnthropic(clientAt(mock.url)).messages.create({ ...asked, model: 'claude' });
    expect(calls.facts).toHaveLength(1);
  });

  it('runs middleware of the user while recording, and not for a served call', async () => {
    const seen: string[] = [];
    const middleware = [
      async (request: APIRequest, next: (request: APIRequest) => Promise<Response>): Promise<Response> => {
        seen.push(new URL(request.url).pathname);
        return next(request);
      },
    ];
    const client = instrumentAnthropic(new Anthropic({ apiKey: 'k', baseURL: mock.url, middleware }));
    const ask = (): Promise<unknown> => client.messages.create({ ...asked, model: 'claude' });
    const recorded = await ask();
    detach();
    expect(await new TapePlayer(calls.crossings()).during(ask)).toEqual(recorded);
    expect(seen).toEqual(['/v1/messages']);
  });

  it.each([[{}], [{ makeRequest: 1 }], [new Map()]])('is refused where it is no client: %o', (value) => {
    expect(() => instrumentAnthropic(value)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});

describe("the SDK's own spans", () => {
  it('are told of a client, and of clients that are yet to be made', async () => {
    const seen: string[] = [];
    const onEnd = ({ name }: { name: string }): void => void seen.push(name);
    const none = async (): Promise<void> => undefined;
    const processor = { onStart: () => undefined, onEnd, forceFlush: none, shutdown: none };
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
    const loud = new Anthropic({ apiKey: 'k', baseURL: mock.url });
    const silent = new Anthropic({ apiKey: 'k', baseURL: mock.url, openTelemetry: false });
    expect([emitsOwnSpans(loud), emitsOwnSpans(silent), emitsOwnSpans({})]).toEqual([true, false, false]);
    for (const client of [silent, loud]) await client.messages.create({ ...asked, model: 'claude' });
    expect(seen).toEqual(['anthropic.messages.create']);
    trace.disable();
    expect(emitsOwnSpans()).toBe(true);
    process.env.ANTHROPIC_OPEN_TELEMETRY = 'false';
    expect(emitsOwnSpans()).toBe(false);
    delete process.env.ANTHROPIC_OPEN_TELEMETRY;
  });
});
