import { context } from '@opentelemetry/api';
import { agent } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import * as plain from 'ai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instrumentModel } from './index.ts';
import { LocalModel } from './testdata/local-model.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';

let undo: () => void;
let calls: RecordedCalls;
let detach: () => void;
beforeAll(() => {
  undo = setUpSdk();
});
afterAll(() => undo());
beforeEach(() => {
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(() => detach());

const names = (): string[] => calls.facts.map(({ boundary }) => `${boundary.kind}:${boundary.name}`);

describe('one call', () => {
  it('is one crossing, however often its model was wrapped', async () => {
    const model = instrumentModel(instrumentModel(new LocalModel({})));
    const wrapped = ai.wrapLanguageModel({ model, middleware: {} });
    await ai.generateText({ model: wrapped, prompt: 'Sell.' });
    expect(names()).toEqual(['model:local.chat']);
  });

  it('crosses inside the middleware, which runs for real', async () => {
    const wrapped = ai.wrapLanguageModel({
      model: new LocalModel({}),
      providerId: 'disguised',
      middleware: { specificationVersion: 'v4', transformParams: async ({ params }) => ({ ...params, seed: 7 }) },
    });
    await ai.generateText({ model: wrapped, prompt: 'Sell.' });
    expect(names()).toEqual(['model:local.chat']);
    expect(calls.only.input?.payload.data).toContain('"seed":7');
  });

  it('of a middleware that never asks the model is none', async () => {
    const cached = await new LocalModel({}).doGenerate();
    const model = ai.wrapLanguageModel({
      model: new LocalModel({}),
      middleware: { specificationVersion: 'v4', wrapGenerate: async () => cached },
    });
    expect((await ai.generateText({ model, prompt: 'Sell.' })).text).toBe('Sold.');
    expect(names()).toEqual([]);
  });

  it('with a model by its name, or by prepareStep, crosses too', async () => {
    const provider = plain.customProvider({ languageModels: { tiny: new LocalModel({}) } });
    globalThis.AI_SDK_DEFAULT_PROVIDER = provider;
    try {
      await ai.generateText({ model: 'tiny', prompt: 'Sell.' });
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined;
    }
    const other = new LocalModel({}, 'other');
    await ai.generateText({ model: new LocalModel({}), prompt: 'Sell.', prepareStep: () => ({ model: other }) });
    expect(calls.facts.map(({ input }) => (JSON.parse(input?.payload.data ?? '') as { model: string }).model)).toEqual([
      'tiny',
      'other',
    ]);
  });
});

describe('instrumentModel', () => {
  it('keeps private members, getters, identity of the class and a frozen object working', async () => {
    const model = instrumentModel(new LocalModel({}));
    expect(model).toBeInstanceOf(LocalModel);
    expect(model.constructor).toBe(LocalModel);
    expect({ ...model }).toMatchObject({ provider: 'local', modelId: 'tiny' });
    const frozen = Object.freeze({
      specificationVersion: 'v4',
      provider: 'frozen',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: () => new LocalModel({}).doGenerate(),
      doStream: () => new LocalModel({}).doStream({ prompt: [] }),
    } as const);
    await instrumentModel(frozen).doGenerate();
    expect(names()).toEqual(['model:frozen.generate']);
  });

  it('refuses what is no model', () => {
    expect(() => instrumentModel({})).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});

describe('the context of a streamed call', () => {
  it('is the one in which it was made, also where somebody else reads it', async () => {
    const make = agent('maker', () => ({ result: ai.streamText({ model: new LocalModel({}), prompt: 'Sell.' }) }));
    const read = agent('reader', async ({ result }: ReturnType<typeof make>) => result.text);
    expect(await read(make())).toBe('Sold.');
    const spanOf = (name: string): string | undefined =>
      calls.facts.find(({ boundary }) => boundary.name === name)?.spanContext.spanId;
    const parent = calls.facts.find(({ boundary }) => boundary.kind === 'model')?.parentCrossing;
    expect(parent).toMatch(/^[0-9a-f]{16}$/);
    expect(parent).toBe(spanOf('maker'));
  });
});

describe('agents', () => {
  it('are crossings that enclose theirs, generated and streamed, by id or class', async () => {
    class Trader extends plain.ToolLoopAgent {}
    const trader = new Trader({ model: new LocalModel({}) });
    await trader.generate({ prompt: 'Sell.' });
    const streamed = await new plain.ToolLoopAgent({ id: 'desk', model: new LocalModel({}) }).stream({
      prompt: 'Sell.',
    });
    expect(await streamed.text).toBe('Sold.');
    await calls.settled(4);
    expect(names()).toEqual(['model:local.chat', 'agent:Trader', 'model:local.chat', 'agent:desk']);
    const [first, outer, second, desk] = calls.facts;
    expect([first?.parentCrossing, second?.parentCrossing]).toEqual([
      outer?.spanContext.spanId,
      desk?.spanContext.spanId,
    ]);
    expect(JSON.parse(desk?.outcome.value?.payload.data ?? '')).toEqual({
      text: 'Sold.',
      finishReason: 'stop',
      stepCount: 1,
    });
  });

  it('that fail while they stream settle with the error', async () => {
    const failing = new LocalModel({
      stream: () => {
        throw new RangeError('market closed');
      },
    });
    const seen: unknown[] = [];
    const trader = new plain.ToolLoopAgent({
      id: 'desk',
      model: failing,
      onError: ({ error }) => void seen.push(error),
      maxRetries: 0,
    });
    const { text } = await trader.stream({ prompt: 'Sell.' });
    await expect(text).rejects.toThrow();
    await calls.settled(2);
    expect(calls.facts.map(({ outcome }) => outcome.type)).toEqual(['threw', 'threw']);
    expect(seen).toEqual([expect.objectContaining({ message: 'market closed' })]);
  });
});

describe('without a context manager', () => {
  it('calls are recorded by their values', async () => {
    context.disable();
    await ai.generateText({ model: new LocalModel({}), prompt: 'Sell.' });
    expect(names()).toEqual(['model:local.chat']);
  });
});
