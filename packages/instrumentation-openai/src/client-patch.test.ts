import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import {
  type Admission,
  admit,
  gate,
  patchClient,
  patchClientPrototype,
  type StainlessClient,
} from '@reenact/instrumentation';
import { completionJson, endOf, RecordedCalls, ScriptedProvider, TapePlayer } from '@reenact/instrumentation/testing';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instrumentOpenAI } from './index.ts';
import { openaiLibrary } from './openai-library.ts';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

const settings = { admit, capture: 'full', sdk: undefined } as const;
const before = Object.getOwnPropertyDescriptors(OpenAI.prototype);

let server: ScriptedProvider;
let calls: RecordedCalls;
let detach: () => void;
beforeEach(async () => {
  server = await ScriptedProvider.start((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(completionJson('hello'));
  });
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(async () => {
  detach();
  await server.stop();
  expect(Object.getOwnPropertyDescriptors(OpenAI.prototype)).toEqual(before);
});

function ask(client: OpenAI): Promise<unknown> {
  return client.chat.completions.create({ model: 'gpt-4o', messages: [] });
}

describe('patching the class', () => {
  it('is undone to the very property descriptors, and the undone functions pass through', async () => {
    const undo = patchOpenAI();
    const kept: unknown = Reflect.get(OpenAI.prototype, 'makeRequest');
    expect(kept).not.toBe(before.makeRequest?.value);
    undo();
    expect(Object.getOwnPropertyDescriptors(OpenAI.prototype)).toEqual(before);
    const client = clientOf(server.baseURL);
    Object.defineProperty(client, 'makeRequest', { value: kept });
    await ask(client);
    expect(calls.facts).toEqual([]);
  });

  it('twice records once', async () => {
    const undo = patchOpenAI();
    const undoSecond = patchClientPrototype(OpenAI.prototype, openaiLibrary, settings);
    await ask(clientOf(server.baseURL));
    expect(calls.facts).toHaveLength(1);
    undoSecond();
    await ask(clientOf(server.baseURL));
    expect(calls.facts).toHaveLength(2);
    undo();
  });

  it('leaves alone what somebody else put on top', async () => {
    const undo = patchOpenAI();
    const ours: unknown = Reflect.get(OpenAI.prototype, 'makeRequest');
    const theirs = function (this: unknown, ...parameters: unknown[]): unknown {
      return Reflect.apply(ours as () => unknown, this, parameters);
    };
    const descriptor = { ...before.makeRequest, value: theirs };
    Object.defineProperty(OpenAI.prototype, 'makeRequest', descriptor);
    undo();
    expect(Reflect.get(OpenAI.prototype, 'makeRequest')).toBe(theirs);
    await ask(clientOf(server.baseURL));
    expect(calls.facts).toEqual([]);
    Object.defineProperty(OpenAI.prototype, 'makeRequest', before.makeRequest as PropertyDescriptor);
  });

  it("keeps the client's own comparison of its fetchWithTimeout with the class's", () => {
    const undo = patchOpenAI();
    const client = clientOf(server.baseURL);
    expect(Reflect.get(client, 'fetchWithTimeout')).toBe(Reflect.get(OpenAI.prototype, 'fetchWithTimeout'));
    undo();
  });

  it('leaves a class of another shape as it is', () => {
    const prototype = { makeRequest: 1 };
    patchClientPrototype(prototype, openaiLibrary, settings)();
    patchClientPrototype(undefined, openaiLibrary, settings)();
    expect(prototype).toEqual({ makeRequest: 1 });
  });
});

describe('instrumenting one client', () => {
  it('records that client, its copies with other options, and no other', async () => {
    const client = instrumentOpenAI(clientOf(server.baseURL));
    await ask(client);
    await ask(client.withOptions({ timeout: 1000 }).withOptions({ maxRetries: 1 }));
    await ask(clientOf(server.baseURL));
    expect(calls.facts.map(({ exchanges }) => exchanges.length)).toEqual([1, 1]);
    expect(calls.facts[0]?.boundary.sdk).toBe('openai@7.59.0');
    expect(Reflect.get(client, 'fetchWithTimeout')).toBe(Reflect.get(OpenAI.prototype, 'fetchWithTimeout'));
  });

  it('replays over it without sending anything', async () => {
    const client = instrumentOpenAI(clientOf(server.baseURL));
    const recorded = await ask(client);
    const player = new TapePlayer(calls.crossings());
    detach();
    expect(await player.during(() => ask(client.withOptions({ maxRetries: 0 })))).toEqual(recorded);
    expect(server.requests).toHaveLength(1);
  });

  it('twice, or beside the class, records once', async () => {
    const undo = patchOpenAI();
    await ask(instrumentOpenAI(clientOf(server.baseURL)));
    undo();
    await ask(instrumentOpenAI(instrumentOpenAI(clientOf(server.baseURL))));
    expect(calls.facts).toHaveLength(2);
  });

  it('is undone to the very property descriptors', () => {
    const client = clientOf(server.baseURL);
    const own = Object.getOwnPropertyDescriptors(client);
    patchClient(client as unknown as StainlessClient, openaiLibrary, settings)();
    expect(Object.getOwnPropertyDescriptors(client)).toEqual(own);
  });

  it.each([[{}], [{ makeRequest: 1 }], [new Map()]])('refuses what is no client: %o', (value) => {
    expect(() => instrumentOpenAI(value)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});

describe('switched off', () => {
  it('by suppressed tracing or the gate, nothing is recorded and the result is the same', async () => {
    const undo = patchOpenAI();
    const recorded = await ask(clientOf(server.baseURL));
    const suppressed = await context.with(suppressTracing(context.active()), () => ask(clientOf(server.baseURL)));
    gate.disable();
    const disabled = await ask(clientOf(server.baseURL));
    gate.enable();
    expect([suppressed, disabled]).toEqual([recorded, recorded]);
    expect(calls.facts).toHaveLength(1);
    undo();
  });
});

describe('host first', () => {
  const broken = (): never => {
    throw new TypeError('ours is broken');
  };
  const hostileCrossing = new Proxy({}, { get: (_, key) => (key === 'context' ? context.active() : broken) });

  it.each<[string, () => Admission]>([
    ['the gate throws', broken],
    ['every method of the crossing throws', () => ({ type: 'run', crossing: hostileCrossing }) as unknown as Admission],
    ['the gate answers nonsense', () => ({ type: 'nonsense' }) as unknown as Admission],
  ])('when %s, the host has its result, sent once', async (_, hostile) => {
    const plain = await ask(clientOf(server.baseURL));
    const undo = patchClientPrototype(OpenAI.prototype, openaiLibrary, { ...settings, admit: hostile });
    const completion = await ask(clientOf(server.baseURL));
    const failed = await endOf(() => ask(clientOf('http://127.0.0.1:9/v1', { maxRetries: 0 })));
    undo();
    expect(completion).toEqual(plain);
    expect(failed.error).toBeInstanceOf(OpenAI.APIConnectionError);
    expect(server.requests).toHaveLength(2);
  });

  it('when a request cannot be described or serialised, the client says so itself', async () => {
    const cyclic: Record<string, unknown> = { role: 'user' };
    cyclic.content = cyclic;
    const messages = [cyclic] as unknown as OpenAI.ChatCompletionMessageParam[];
    const client = clientOf(server.baseURL);
    const plain = await endOf(() => client.chat.completions.create({ model: 'm', messages }));
    const undo = patchOpenAI();
    const recorded = await endOf(() => client.chat.completions.create({ model: 'm', messages }));
    undo();
    expect(recorded.error).toMatchObject({ name: 'TypeError', message: (plain.error as Error).message });
    expect(calls.facts.map(({ outcome }) => outcome.type)).toEqual(['threw']);
  });

  it('a rejected request nobody waits for is told to the host as it always was', async () => {
    const undo = patchOpenAI();
    const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve));
    const options = Promise.reject(new TypeError('options of the user'));
    void clientOf(server.baseURL).post('/chat/completions', options).asResponse();
    expect(await unhandled).toMatchObject({ message: 'options of the user' });
    undo();
  });
});
