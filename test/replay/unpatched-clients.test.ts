import Anthropic from '@anthropic-ai/sdk';
import { httpMembers } from '@reenact/instrumentation';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import { replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import OpenAI from 'openai';
import { agent, boundary } from 'reenact';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';
import { startWatchedServer, type WatchedServer } from './watched-server.ts';

let server: WatchedServer;
let recording: Recording;
let sent = 0;
/** Own code of the user, with which no client has anything to do. */
let ran: string[] = [];
let before: () => Promise<unknown>;
let client: OpenAI;

const answer = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o' };
const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
const unpatched = (): OpenAI => new OpenAI({ apiKey: 'sk-none', baseURL: `${server.url}v1`, maxRetries: 2 });

async function ask(): Promise<string | null | undefined> {
  const messages = [{ role: 'user' as const, content: 'a prompt' }];
  return (await client.chat.completions.create({ model: 'gpt-4o', messages })).choices[0]?.message.content;
}

const asking = agent('asking', async () => {
  await before();
  return ask();
});

beforeAll(async () => {
  server = await startWatchedServer((_, response) => {
    sent += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...answer, choices }));
  });
  client = unpatched();
  before = async () => undefined;
  recording = await recordRun(asking);
  expect(recording.crossings.map(({ kind }) => kind)).toEqual(['agent', 'http']);
});

afterAll(() => server.stop());

beforeEach(() => {
  ran = [];
  sent = 0;
  before = async () => undefined;
  client = instrumentOpenAI(unpatched());
});

describe('a run whose model client was recorded by its requests alone', () => {
  it('is answered where the client is patched now', async () => {
    const report = await replay({ recording, run: asking });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 'hello', divergences: [] });
    expect(report.notes.join()).toContain('model:openai.chat was recorded by its requests alone');
    expect(sent).toBe(0);
  });

  it.each([
    ['model', 'my-local-guard'],
    ['embedding', 'pgvector'],
    ['model', 'openai.chat'],
  ] as const)('lets no boundary of yours through that was not recorded: %s:%s', async (kind, name) => {
    const own = boundary(kind, name, async (text: string) => ran.push(text));
    before = () => own('a prompt').catch(() => undefined);
    const report = await replay({ recording, run: asking });
    expect(ran).toEqual([]);
    expect(report.exitCode).toBe(1);
    expect(report.divergences.map((told) => [told.kind, told.path])).toEqual([
      ['never-recorded', `agent:asking/${kind}:${name}`],
    ]);
  });

  it('refuses the client of another provider where it is called, and it tries only once', async () => {
    const other = instrumentAnthropic(new Anthropic({ apiKey: 'sk-none', baseURL: server.url, maxRetries: 2 }));
    const messages = [{ role: 'user' as const, content: 'a prompt' }];
    let failure: unknown;
    before = () =>
      other.messages.create({ model: 'claude-opus-4-8', max_tokens: 10, messages }).catch((error: unknown) => {
        failure = error;
      });
    const report = await replay({ recording, run: asking });
    expect(failure).toMatchObject({ code: 'replay-refused' });
    expect(report.divergences.map((told) => [told.kind, told.path])).toEqual([
      ['never-recorded', 'agent:asking/model:anthropic.messages'],
    ]);
    expect(sent).toBe(0);
  });

  it('tells of a call that a fetch of its own answered, and of one more than was recorded', async () => {
    const recorded = client;
    before = async () => {
      const fetch = async () => Response.json({ ...answer, choices });
      client = instrumentOpenAI(unpatched().withOptions({ fetch }));
      await ask();
      client = recorded;
    };
    const alone = await replay({ recording, run: asking });
    expect(alone.divergences.map((told) => [told.kind, told.path])).toEqual([
      ['never-recorded', 'agent:asking/model:openai.chat'],
    ]);
    before = ask;
    const twice = await replay({ recording, run: asking });
    expect(twice.divergences[0]).toMatchObject({
      kind: 'never-recorded',
      path: 'agent:asking/model:openai.chat#2',
    });
    expect(sent).toBe(0);
  });
});

describe('a process in which nothing asks for requests', () => {
  it('lets none through where nothing asks for what it sends', async () => {
    const patched = globalThis.fetch;
    globalThis.fetch = httpMembers.unpatched(patched);
    try {
      client = instrumentOpenAI(unpatched());
      const report = await replay({ recording, run: asking });
      expect(report.divergences[0]).toMatchObject({ kind: 'never-recorded', path: 'agent:asking/model:openai.chat' });
    } finally {
      globalThis.fetch = patched;
    }
    expect(sent).toBe(0);
  });
});
