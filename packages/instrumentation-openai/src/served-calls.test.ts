import { type Release, wireMode } from '@reenact/instrumentation';
import {
  chunkEvent,
  completionJson,
  endOf,
  RecordedCalls,
  recordThenServe,
  type Script,
  ScriptedProvider,
  TapePlayer,
} from '@reenact/instrumentation/testing';
import { ATTR_GEN_AI_PROVIDER_NAME } from '@reenact/semconv/gen-ai';
import { type Crossing, isReenactError } from '@reenact/trace-model';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

const answer: Script = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(completionJson('recorded'));
};
const overloaded: Script = (response) => response.writeHead(503, { 'retry-after-ms': '1' }).end('later');

function ask(client: OpenAI): Promise<OpenAI.ChatCompletion> {
  return client.chat.completions.create({ model: 'gpt-4o', messages: [] });
}

describe('a call beyond the recording', () => {
  it('fails above the retry loop with the error of the replay, unwrapped, and sends nothing', async () => {
    const ends = await recordThenServe(overloaded, (baseURL) => ask(clientOf(baseURL, { maxRetries: 0 })));
    const player = new TapePlayer(ends.crossings);
    const server = await ScriptedProvider.start(answer);
    const { error } = await player.during(() => endOf(() => ask(clientOf(server.baseURL, { maxRetries: 4 }))));
    expect(isReenactError(error)).toBe(true);
    expect(player.refusals).toEqual(['The client made attempt 2, and 1 were recorded.']);
    expect(server.requests).toEqual([]);
    await server.stop();
  });

  it('is refused before the client prepares anything', async () => {
    const server = await ScriptedProvider.start(answer);
    let asked = 0;
    const apiKey = async (): Promise<string> => {
      asked += 1;
      return 'key';
    };
    const client = clientOf(server.baseURL, { apiKey, maxRetries: 3 });
    const player = new TapePlayer([]);
    const ends = await player.during(() => Promise.all([endOf(() => ask(client)), endOf(() => client.models.list())]));
    for (const { error } of ends) expect(error).toMatchObject({ name: 'ReenactError', code: 'replay-refused' });
    expect(asked).toBe(0);
    expect(server.requests).toEqual([]);
    await server.stop();
  });
});

describe('credentials', () => {
  it('are never asked for by a served call, from a function or a token service', async () => {
    const { crossings } = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const unreachable = 'http://127.0.0.1:9/v1';
    const credential = (): Promise<string> => Promise.reject(new TypeError('no credentials on this machine'));
    const clients = [
      clientOf(unreachable, { apiKey: credential }),
      new AzureOpenAI({ baseURL: unreachable, apiVersion: '1', azureADTokenProvider: credential, logLevel: 'off' }),
    ];
    for (const client of clients) {
      const completion = await new TapePlayer(crossings).during(() => ask(client));
      expect(completion.choices[0]?.message.content).toBe('recorded');
    }
  });

  it('that failed when it was recorded fail again in the same words', async () => {
    const apiKey = (): Promise<string> => Promise.reject(new TypeError('vault is sealed'));
    const ends = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL, { apiKey })));
    expect(ends.recorded.error).toBeInstanceOf(OpenAI.OpenAIError);
    expect(ends.replayed.error).toMatchObject({ message: (ends.recorded.error as Error).message });
    expect(ends.requests.total).toBe(0);
  });
});

describe('clients of other shapes', () => {
  it('Azure: another provider, the same crossing name, replayed through its own client', async () => {
    const ends = await recordThenServe(answer, (baseURL) => {
      const options = {
        baseURL,
        apiVersion: '2024-10-21',
        apiKey: 'azure-secret',
        deployment: 'my-gpt',
        logLevel: 'off',
      } as const;
      return ask(new AzureOpenAI(options));
    });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.requests).toEqual({ recording: 1, total: 1 });
    const [crossing] = ends.crossings;
    expect(crossing?.name).toBe('openai.chat');
    expect(ends.calls.only.slim).toMatchObject({
      [ATTR_GEN_AI_PROVIDER_NAME]: 'azure.ai.openai',
      'server.address': '127.0.0.1',
    });
    expect(crossing?.exchanges[0]?.request.url).toContain('/deployments/my-gpt/chat/completions');
    expect(crossing?.exchanges[0]?.request.headers).toContainEqual(['api-key', expect.stringContaining('[redacted:')]);
  });

  it('a fetch option of the user is recorded behind and not called in a replay', async () => {
    let called = 0;
    const ownedBelow: string[] = [];
    const ends = await recordThenServe(answer, (baseURL) => {
      const own: typeof fetch = (...parameters) => {
        called += 1;
        ownedBelow.push(wireMode());
        return fetch(...parameters);
      };
      return ask(clientOf(baseURL, { fetch: own }));
    });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(called).toBe(1);
    // An HTTP instrumentation below it sees a request that is kept already.
    expect(ownedBelow).toEqual(['pass']);
  });
});

describe('what is not as it should be', () => {
  it('an exchange that makes no sense fails the call as damaged, tried once', async () => {
    const { crossings } = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const [crossing] = crossings;
    const [exchange] = crossing?.exchanges ?? [];
    if (crossing === undefined || exchange?.response === undefined) throw new TypeError('nothing was recorded');
    const broken = [
      { ...exchange, response: { ...exchange.response, status: 42 } },
      { ...exchange, response: undefined, error: { $: 'bigint', value: 'none' } },
    ];
    for (const item of broken) {
      const exchanges = [item] as unknown as Crossing['exchanges'];
      const player = new TapePlayer([{ ...crossing, exchanges }]);
      const { error } = await player.during(() =>
        endOf(() => ask(clientOf('http://127.0.0.1:9/v1', { maxRetries: 3 }))),
      );
      expect(error).toMatchObject({ code: 'fixture-damaged', where: 'attempt 1' });
    }
  });

  it('a client whose requests go past its fetch fails instead of passing for a replay', async () => {
    class Bypassing extends OpenAI {
      override async fetchWithAuth(url: string, init: RequestInit): Promise<Response> {
        return fetch(url, init);
      }
    }
    const server = await ScriptedProvider.start(answer);
    const { crossings } = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const client = new Bypassing({ apiKey: 'k', baseURL: server.baseURL, logLevel: 'off' });
    const player = new TapePlayer(crossings);
    const { error } = await player.during(() => endOf(() => ask(client)));
    expect(error).toMatchObject({ code: 'replay-refused' });
    await server.stop();
  });

  it('what is served is recorded again, exchange for exchange', async () => {
    const ends = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await new TapePlayer(ends.crossings).during(() => ask(clientOf('http://127.0.0.1:9/v1')));
    detach();
    const responseOf = (crossing: Crossing | undefined): unknown => {
      const response = crossing?.exchanges[0]?.response;
      return {
        ...response,
        url: '',
        headersAfterUs: 0,
        endAfterUs: 0,
        chunks: response?.chunks.map(([, data]) => data),
      };
    };
    expect(responseOf(calls.crossings()[0])).toEqual(responseOf(ends.crossings[0]));
    expect(calls.only.replay).toMatchObject({ mode: 'stub', source: { spanId: ends.crossings[0]?.spanId } });
  });

  it('a call made live inside a replay is sent and recorded', async () => {
    const ends = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const server = await ScriptedProvider.start(answer);
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const player = new TapePlayer(ends.crossings);
    player.live.add('openai.chat');
    const completion = await player.during(() => ask(clientOf(server.baseURL)));
    expect(completion.choices[0]?.message.content).toBe('recorded');
    expect(server.requests).toHaveLength(1);
    expect(calls.only.exchanges).toHaveLength(1);
    detach();
    await server.stop();
  });
});

/** A release whose turns the test gives. */
function steppedRelease(): { readonly release: Release; readonly asked: (number | 'settle')[]; open(): void } {
  const gateway = Promise.withResolvers<undefined>();
  const asked: (number | 'settle')[] = [];
  const turn = (moment: number | 'settle'): Promise<undefined> => {
    asked.push(moment);
    return gateway.promise;
  };
  return { asked, open: () => gateway.resolve(undefined), release: { at: turn, settle: () => turn('settle') } };
}

describe('release', () => {
  it('is asked for the headers, each chunk and the end, at times that never go back', async () => {
    const script: Script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunkEvent('one'), () => setImmediate(() => response.end(chunkEvent('two', 'stop'))));
    };
    const stream = async (baseURL: string): Promise<string[]> => {
      const seen: string[] = [];
      const body = { model: 'm', messages: [], stream: true } as const;
      for await (const chunk of await clientOf(baseURL).chat.completions.create({ ...body, messages: [] })) {
        seen.push(chunk.choices[0]?.delta.content ?? '');
      }
      return seen;
    };
    const { crossings } = await recordThenServe(script, stream);
    const stepped = steppedRelease();
    const player = new TapePlayer(crossings, () => stepped.release);
    let isOver = false;
    const replay = player
      .during(() => stream('http://127.0.0.1:9/v1'))
      .then((seen) => {
        isOver = true;
        return seen;
      });
    while (stepped.asked.length === 0) await new Promise(setImmediate);
    expect([stepped.asked.length, isOver]).toEqual([1, false]);
    stepped.open();
    expect(await replay).toEqual(['one', 'two']);
    const times = stepped.asked.filter((moment) => typeof moment === 'number');
    expect(stepped.asked.at(-1)).toBe('settle');
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(times).toEqual([...times].sort((left, right) => left - right));
  });

  it('does not hold back an abort', async () => {
    const { crossings } = await recordThenServe(answer, (baseURL) => ask(clientOf(baseURL)));
    const stepped = steppedRelease();
    const player = new TapePlayer(crossings, () => stepped.release);
    const controller = new AbortController();
    const replay = player.during(() =>
      endOf(() =>
        clientOf('http://127.0.0.1:9/v1').chat.completions.create(
          { model: 'gpt-4o', messages: [] },
          { signal: controller.signal },
        ),
      ),
    );
    while (stepped.asked.length === 0) await new Promise(setImmediate);
    controller.abort();
    expect((await replay).error).toBeInstanceOf(OpenAI.APIUserAbortError);
  });
});
