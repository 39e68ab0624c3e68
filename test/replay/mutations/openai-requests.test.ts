import type { ServerResponse } from 'node:http';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import type { ClientOptions } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Act, recordAct } from '../../serve/recorded-agent.ts';
import { startScriptedProvider } from '../../serve/scripted-provider.ts';
import { chatAnswer, chatStream, events, json } from '../plan/answers.ts';
import { type ReplayedActOptions, replayAct } from '../plan/replayed-act.ts';

const request = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Sell $1,000 worth.' }] } as const;
const path = 'agent:asker/model:openai.chat';
const settings: ClientOptions = {
  organization: 'org-1',
  project: 'proj-1',
  defaultHeaders: { 'x-tenant': 'one', 'OpenAI-Beta': 'assistants=v2' },
  defaultQuery: { region: 'eu' },
};

/** One call, with headers and query of its own. */
function asking(options: { headers?: Record<string, string | null>; query?: Record<string, unknown> } = {}): Act {
  return async (client) =>
    await client.chat.completions.create({ ...request, messages: [...request.messages] }, options);
}

let recording: Recording;

beforeAll(async () => {
  recording = await recordAct(json(chatAnswer('Five.')), asking({ headers: { 'x-step': '1' } }), settings);
});

function replayed(act: Act, options: ReplayedActOptions = {}): Promise<ReplayReport> {
  return replayAct(recording, act, { client: settings, ...options });
}

/** What the agent did otherwise; where a provider listens is a precondition. */
function pathsOf({ divergences }: ReplayReport): unknown[] {
  return divergences
    .filter(({ kind }) => kind !== 'environment-changed')
    .map(({ kind, path: at, difference = [] }) => [kind, at, ...difference.map((entry) => entry.path)]);
}

const same = asking({ headers: { 'x-step': '1' } });

const rows: readonly [name: string, client: ClientOptions, act: Act, at: string][] = [
  ['another organization', { ...settings, organization: 'org-2' }, same, 'headers["openai-organization"]'],
  ['no project', { ...settings, project: null }, same, 'headers["openai-project"]'],
  [
    'another tenant of the client',
    { ...settings, defaultHeaders: { ...settings.defaultHeaders, 'X-Tenant': 'two' } },
    same,
    'headers["x-tenant"]',
  ],
  [
    'another beta',
    { ...settings, defaultHeaders: { 'x-tenant': 'one', 'OpenAI-Beta': 'assistants=v3' } },
    same,
    'headers["openai-beta"]',
  ],
  ['another header of the request', settings, asking({ headers: { 'x-step': '2' } }), 'headers["x-step"]'],
  ['a header less', settings, asking({ headers: {} }), 'headers["x-step"]'],
  ['a header more', settings, asking({ headers: { 'x-step': '1', 'x-dry-run': '1' } }), 'headers["x-dry-run"]'],
  [
    'a header of the client that the request takes away',
    settings,
    asking({ headers: { 'x-step': '1', 'x-tenant': null } }),
    'headers["x-tenant"]',
  ],
  ['another type of answer', settings, asking({ headers: { 'x-step': '1', accept: 'text/plain' } }), 'headers.accept'],
  ['another query of the client', { ...settings, defaultQuery: { region: 'us' } }, same, 'query.region'],
  ['a query of the request', settings, asking({ headers: { 'x-step': '1' }, query: { trial: 1 } }), 'query.trial'],
];

describe('a request of the openai client', () => {
  it('is reproduced with nothing to say against it where it is the same', async () => {
    expect(await replayed(same)).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });

  it.each(rows)('with %s: reported with kind, path and line, and served', async (_name, client, act, at) => {
    const report = await replayed(act, { client });
    expect(pathsOf(report)).toEqual([['input-changed', path, at]]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, counts: { stubbed: 1, refused: 0 } });
    const [first] = report.divergences;
    expect(first?.source?.file).toContain('openai-requests.test.ts');
    expect(first?.next).toContain(`--live ${path}`);
  });

  it('shows both values', async () => {
    const report = await replayed(asking({ headers: { 'x-step': '2' } }));
    expect(report.divergences[0]?.difference).toEqual([{ path: 'headers["x-step"]', recorded: '"1"', live: '"2"' }]);
    expect(report.divergences[0]?.message).toContain('it differs at headers["x-step"]');
  });

  it('is one change of the call where its body differs, too', async () => {
    const both: Act = async (client) =>
      await client.chat.completions.create(
        { ...request, model: 'gpt-5', messages: [...request.messages] },
        { headers: { 'x-step': '2' } },
      );
    const { divergences } = await replayed(both);
    expect(divergences.filter(({ kind }) => kind !== 'environment-changed')).toMatchObject([
      {
        kind: 'input-changed',
        message: expect.stringContaining('it differs in 2 places, first at $.model'),
        difference: [{ path: '$.model' }, { path: 'headers["x-step"]', recorded: '"1"', live: '"2"' }],
        differenceTotal: 2,
      },
    ]);
  });

  it('may go to another base URL, with another key, from another place', async () => {
    const headers = { 'x-step': '1', 'user-agent': 'mine', 'x-request-id': '8', 'idempotency-key': 'again' };
    const client = { ...settings, apiKey: 'sk-other', baseURL: 'http://127.0.0.1:9/elsewhere/v9' };
    expect(await replayed(asking({ headers }), { client })).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });
});

describe('a request of another version of the client', () => {
  const upgraded = asking({ headers: { 'x-step': '1', 'user-agent': 'OpenAI/JS 99.1.0' } });
  const twice: Act = async (client) => [await same(client), await upgraded(client), await upgraded(client)];

  it('is reproduced, and the version is a precondition that is told once', async () => {
    const before = await recordAct(json(chatAnswer('Five.')), twice, settings);
    const act: Act = async (client) => [await upgraded(client), await upgraded(client), await upgraded(client)];
    const report = await replayAct(before, act, { client: settings });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, outcome: { stale: false } });
    expect(report.divergences).toMatchObject([
      { kind: 'environment-changed', message: expect.stringMatching(/^OpenAI\/JS is 99\.1\.0 and was 7\.[\d.]+ when/) },
    ]);
  });

  it('is no precondition where it does not say its version', async () => {
    const silent = asking({ headers: { 'x-step': '1', 'user-agent': 'mine' } });
    expect((await replayed(silent)).divergences).toEqual([]);
  });
});

describe('a request that differs under a plan', () => {
  const changed = asking({ headers: { 'x-step': '2' }, query: { trial: 1 } });
  const ignore = [
    { selector: 'model:*', path: 'headers["x-step"]', why: 'counted anew by every process' },
    { selector: 'model:*', path: 'query.trial', why: 'a switch of the desk' },
  ];

  it('is reproduced where the plan ignores what differs, and the report says so', async () => {
    const report = await replayed(changed, { ignore });
    expect(report).toMatchObject({
      verdict: 'reproduced',
      divergences: [],
      ignored: [{ met: 1, differed: 1 }, { met: 1 }],
    });
  });

  it('lets nothing beside an ignored header pass', async () => {
    const report = await replayed(changed, { ignore: ignore.slice(0, 1) });
    expect(pathsOf(report)).toEqual([['input-changed', path, 'query.trial']]);
  });

  it('names a rule that never found anything', async () => {
    const report = await replayed(same, { ignore: [{ selector: 'model:*', path: 'headers["x-gone"]', why: 'once' }] });
    expect(report.ignored).toMatchObject([{ met: 0 }]);
    expect(report.notes.join('\n')).toContain('take the rule out');
  });

  it('is refused above the retry loop of the client where the plan stops', async () => {
    const report = await replayAct(recording, changed, { client: settings, stopOnDivergence: true });
    expect(report.error).toMatchObject({ code: 'replay-refused' });
    expect(report.divergences[0]).toMatchObject({ kind: 'input-changed', path });
    expect(report).toMatchObject({ exitCode: 1, counts: { stubbed: 0, refused: 1 } });
  });

  it('is noted where the profile tolerates changed inputs', async () => {
    const report = await replayed(changed, { profile: 'edit-tolerant' });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(report.notes.join('\n')).toContain('headers["x-step"], query.trial');
  });
});

describe('attempts of one call', () => {
  const overloaded = (response: ServerResponse, _body: string, number: number): void => {
    if (number > 0)
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(chatAnswer('Five.')));
    response.writeHead(503, { 'retry-after-ms': '1' }).end('{}');
  };

  it('that differ alike are reported once', async () => {
    const retried = await recordAct(overloaded, asking({ headers: { 'x-step': '1' } }), settings);
    expect(retried.crossings.find(({ kind }) => kind === 'model')?.exchanges).toHaveLength(2);
    const report = await replayAct(retried, asking({ headers: { 'x-step': '2' } }), { client: settings });
    expect(pathsOf(report)).toEqual([['input-changed', path, 'headers["x-step"]']]);
    expect(await replayAct(retried, same, { client: settings })).toMatchObject({ divergences: [] });
  });

  it('that stream are compared, too', async () => {
    const act: Act = async (client) => {
      const stream = await client.chat.completions.create({
        ...request,
        messages: [...request.messages],
        stream: true,
      });
      let said = '';
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
      return said;
    };
    const streamed = await recordAct(events(chatStream(['Sold ', '5.'])), act, settings);
    const client = { ...settings, organization: 'org-2' };
    const report = await replayAct(streamed, act, { client });
    expect(pathsOf(report)).toEqual([['input-changed', path, 'headers["openai-organization"]']]);
    expect(report.outcome).toMatchObject({ equal: true, stale: true });
  });
});

describe('a recording without headers', () => {
  it('is not compared by them, and that is no error', async () => {
    const crossings = recording.crossings.map((crossing) => ({
      ...crossing,
      exchanges: crossing.exchanges.map((exchange) => ({ ...exchange, request: { ...exchange.request, headers: [] } })),
    }));
    const bySpanId = new Map(crossings.map((crossing) => [crossing.spanId, crossing]));
    const roots = crossings.filter(({ parentSpanId }) => parentSpanId === undefined);
    const report = await replayAct({ ...recording, crossings, bySpanId, roots }, asking(), { client: settings });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });
});

describe('a call of the client that asks no model', () => {
  const listing = (query: { after?: string }, headers: Record<string, string>): Act => {
    return async (client) => (await client.models.list({ query, headers })).data;
  };

  it('is compared by its headers, and its query is told once', async () => {
    const script = json({ object: 'list', data: [] });
    const listed = await recordAct(script, listing({ after: 'a' }, { 'x-step': '1' }), settings);
    const sentTo = listed.crossings.find(({ kind }) => kind === 'http')?.exchanges[0]?.request.url ?? '';
    const liveUrl = `${new URL(sentTo).origin}/v1`;
    const run = (act: Act): Promise<ReplayReport> => replayAct(listed, act, { client: settings, liveUrl });
    expect(await run(listing({ after: 'a' }, { 'x-step': '1' }))).toMatchObject({ divergences: [] });
    const both = await run(listing({ after: 'b' }, { 'x-step': '2' }));
    expect(both.divergences.flatMap(({ difference = [] }) => difference.map((entry) => entry.path))).toEqual([
      '$.query.after',
      'headers["x-step"]',
    ]);
  });
});

describe('a call that is let run', () => {
  it('is compared by what it really sent', async () => {
    const provider = await startScriptedProvider(json(chatAnswer('Five.')));
    const options = { liveUrl: provider.baseUrl, live: ['model:openai.chat'], client: settings };
    try {
      expect(pathsOf(await replayAct(recording, same, options))).toEqual([]);
      const report = await replayAct(recording, asking({ headers: { 'x-step': '2' } }), options);
      expect(pathsOf(report)).toEqual([['input-changed', path, 'headers["x-step"]']]);
      expect(report).toMatchObject({ exitCode: 1, counts: { live: 1, stubbed: 0 } });
      expect(report.divergences[0]?.message).not.toContain('What was served');
      expect(provider.requestCount()).toBe(2);
    } finally {
      await provider.stop();
    }
  });
});
