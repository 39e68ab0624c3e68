import {
  type BothEnds,
  completionJson,
  errorFacts,
  recordThenServe,
  type Script,
  ScriptedProvider,
} from '@reenact/instrumentation/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

function ask(baseURL: string, options: ConstructorParameters<typeof OpenAI>[0] = {}): Promise<unknown> {
  return clientOf(baseURL, options).chat.completions.create({ model: 'gpt-4o', messages: [] });
}

function expectSameError({ recorded, replayed, requests }: BothEnds): void {
  expect(recorded.error).toBeInstanceOf(Error);
  expect(errorFacts(replayed.error)).toEqual(errorFacts(recorded.error));
  expect(requests.total).toBe(requests.recording);
}

/** Longer than any test may take. */
const LIMIT_MS = 60_000;

/**
 * Lets the limit that the client sets for the first body it reads pass at once, and every other by the clock. `start` says that another
 * run begins.
 */
function passFirstBodyLimit(): { start(): void; restore(): void } {
  const { setTimeout: set } = globalThis;
  let isDue = false;
  vi.stubGlobal('setTimeout', (run: () => void, delayMs?: number, ...rest: unknown[]) => {
    if (isDue && new Error().stack?.includes('parseResponseWithTimeout') === true) {
      isDue = false;
      setImmediate(run);
    }
    return Reflect.apply(set, globalThis, [run, delayMs, ...rest]) as NodeJS.Timeout;
  });
  return {
    start: () => {
      isDue = true;
    },
    restore: () => void vi.unstubAllGlobals(),
  };
}

const tooMany: Script = (response, _request, number) => {
  if (number > 0) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(completionJson('at last'));
    return;
  }
  response.writeHead(429, {
    'content-type': 'application/json',
    'retry-after-ms': '1',
    'x-request-id': 'req_429',
  });
  response.end('{"error":{"message":"slow down","type":"rate","code":"rate_limit_exceeded"}}');
};

describe('an error status', () => {
  it('is tried again as it was, each attempt an exchange of one crossing', async () => {
    const ends = await recordThenServe(tooMany, (baseURL) => ask(baseURL));
    expect(ends.requests).toEqual({ recording: 2, total: 2 });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.crossings[0]?.exchanges.map(({ attempt, response }) => [attempt, response?.status])).toEqual([
      [0, 429],
      [1, 200],
    ]);
    expect(ends.calls.only.slim).toMatchObject({ 'http.request.resend_count': 1, 'http.response.status_code': 200 });
  });

  it('is thrown again with class, status, code, headers and request id', async () => {
    const ends = await recordThenServe(tooMany, (baseURL) => ask(baseURL, { maxRetries: 0 }));
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(ends.replayed.error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', requestID: 'req_429' });
    expect(ends.calls.only).toMatchObject({ outcome: { type: 'threw' }, slim: { 'error.type': 'RateLimitError' } });
  });

  it.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [404, 'NotFoundError'],
    [500, 'InternalServerError'],
  ] as const)('%i comes back as %s', async (status, name) => {
    const script: Script = (response) => response.writeHead(status).end('not even JSON');
    const ends = await recordThenServe(script, (baseURL) => ask(baseURL, { maxRetries: 0 }));
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI[name]);
  });
});

describe('parallel calls with one options object', () => {
  it('keep their attempts apart', async () => {
    const script: Script = (response, request, number) => {
      const { 'x-stainless-retry-count': attempt } = request.headers;
      response.writeHead(attempt === '0' ? 503 : 200, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end(JSON.stringify({ number }));
    };
    const act = (baseURL: string): Promise<unknown> => {
      const client = clientOf(baseURL);
      const options = { method: 'post' as const, path: '/chat/completions', body: { model: 'm', messages: [] } };
      return Promise.all([client.request(options), client.request(options)]);
    };
    const ends = await recordThenServe(script, act, 2);
    expect(ends.requests).toEqual({ recording: 4, total: 4 });
    expect(ends.crossings.map(({ exchanges }) => exchanges.map(({ response }) => response?.status))).toEqual([
      [503, 200],
      [503, 200],
    ]);
  });
});

describe('a cookie on an error', () => {
  it('reaches the host and never the recording', async () => {
    const script: Script = (response) => response.writeHead(403, { 'set-cookie': 'session=hush' }).end();
    const ends = await recordThenServe(script, (baseURL) => ask(baseURL));
    expect((ends.recorded.error as { headers: Headers }).headers.getSetCookie()).toEqual(['session=hush']);
    expect((ends.replayed.error as { headers: Headers }).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^\[redacted:/),
    ]);
    const [crossing] = ends.crossings;
    expect(crossing).toMatchObject({ lossy: [], outcome: { error: { data: expect.not.stringContaining('hush') } } });
    expect(JSON.stringify(crossing?.exchanges)).not.toContain('hush');
  });
});

describe('a failing connection', () => {
  it('that is refused is refused again, with the cause chain', async () => {
    const closed = await ScriptedProvider.start(() => undefined);
    const { baseURL } = closed;
    await closed.stop();
    const ends = await recordThenServe(
      () => undefined,
      () => ask(baseURL, { maxRetries: 0 }),
    );
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI.APIConnectionError);
    const { cause } = ends.replayed.error as { cause: { cause: unknown } };
    expect(cause).toBeInstanceOf(TypeError);
    expect(cause.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('that breaks off in the middle of a body breaks off there again', async () => {
    const script: Script = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"half":', () => response.destroy());
    };
    const ends = await recordThenServe(script, (baseURL) => ask(baseURL, { maxRetries: 0 }));
    expectSameError(ends);
    expect(ends.calls.only.outcome.type).toBe('threw');
    expect(ends.crossings[0]?.exchanges[0]?.response).toMatchObject({ end: 'failed' });
  });

  it('that is cut before there is an answer is tried again', async () => {
    const script: Script = (response, _request, number) => {
      if (number === 0) response.destroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(completionJson('second'));
    };
    const ends = await recordThenServe(script, (baseURL) => ask(baseURL, { maxRetries: 1 }));
    expect(ends.requests).toEqual({ recording: 2, total: 2 });
    expect(ends.replayed).toEqual(ends.recorded);
  });

  it('that answers with broken JSON gives the same syntax error', async () => {
    const script: Script = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":');
    const ends = await recordThenServe(script, (baseURL) => ask(baseURL));
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(SyntaxError);
  });
});

describe('a time limit of the client', () => {
  it('before the headers is met again without waiting for it', async () => {
    const ends = await recordThenServe(
      () => undefined,
      (baseURL) => ask(baseURL, { timeout: 30, maxRetries: 0 }),
    );
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
  });

  it('within a body starts another attempt of the same crossing', async () => {
    const script: Script = (response, _request, number) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (number === 0) response.write('{"never');
      else response.end(completionJson('after all'));
    };
    const limit = passFirstBodyLimit();
    const ends = await recordThenServe(script, (baseURL) => {
      limit.start();
      return ask(baseURL, { timeout: LIMIT_MS, maxRetries: 1 });
    }).finally(limit.restore);
    expect(ends.recorded.error).toBeUndefined();
    expect(ends.requests).toEqual({ recording: 2, total: 2 });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.crossings[0]?.exchanges.map(({ response }) => response?.end)).toEqual(['aborted', 'complete']);
  });
});

describe('a caller that gives up', () => {
  it('before the headers gives up again', async () => {
    const callers: AbortController[] = [];
    const ends = await recordThenServe(
      // Only when the request has come: a time limit may pass before it was sent.
      () => callers[0]?.abort(),
      async (baseURL) => {
        const caller = new AbortController();
        // Nothing comes to the server in a replay.
        if (callers.push(caller) > 1) setImmediate(() => caller.abort());
        return clientOf(baseURL).chat.completions.create({ model: 'm', messages: [] }, { signal: caller.signal });
      },
    );
    expectSameError(ends);
    expect(ends.requests.recording).toBe(1);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(ends.calls.only.outcome.type).toBe('aborted');
  });

  it('while the client waits to try again gives up again', async () => {
    const script: Script = (response) => response.writeHead(500, { 'retry-after-ms': '30000' }).end('no');
    const ends = await recordThenServe(script, async (baseURL) => {
      const caller = new AbortController();
      // The client says so right before it starts to wait.
      const told = (message: string): void => {
        if (message.includes('retrying')) setImmediate(() => caller.abort());
      };
      const logger = { error: told, warn: told, info: told, debug: told };
      const client = clientOf(baseURL, { logger, logLevel: 'info' });
      return client.chat.completions.create({ model: 'm', messages: [] }, { signal: caller.signal });
    });
    expectSameError(ends);
    expect(ends.replayed.error).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(ends.requests.recording).toBe(1);
  });

  it('before anything was sent gives up again', async () => {
    const ends = await recordThenServe(
      () => undefined,
      (baseURL) =>
        clientOf(baseURL).chat.completions.create({ model: 'm', messages: [] }, { signal: AbortSignal.abort() }),
    );
    expectSameError(ends);
    expect(ends.requests.total).toBe(0);
  });
});
