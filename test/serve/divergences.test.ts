import { NotFoundError, type OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { recordAct } from './recorded-agent.ts';
import { completion, questionOf, type Script, sendJson } from './scripted-provider.ts';
import { rejectionOf, serving } from './served.ts';

const echo: Script = (response, body) => sendJson(response, completion(questionOf(body)));

function asking(...questions: string[]): (client: OpenAI) => Promise<(string | null)[]> {
  return async (client) => {
    const answers: (string | null)[] = [];
    for (const question of questions) answers.push(await ask(client, question));
    return answers;
  };
}

/** A fetch that counts what the client library really sends. */
function countingFetch(): { fetch: typeof fetch; count: () => number } {
  let sent = 0;
  return {
    fetch: (...parameters) => {
      sent += 1;
      return fetch(...parameters);
    },
    count: () => sent,
  };
}

describe('a request that differs', () => {
  it('is answered from the recording and reported with its path and both values', async () => {
    const recording = await recordAct(echo, asking('sell $1,000 worth'));
    const { value, report } = await serving(recording, asking('sell 1,000 shares'));
    expect(value).toEqual(['sell $1,000 worth']);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    expect(report.divergences).toHaveLength(1);
    expect(report.divergences[0]).toMatchObject({
      kind: 'input-changed',
      path: 'agent:asker/model:openai.chat',
      difference: [{ path: '$.messages[0].content', recorded: '"sell $1,000 worth"', live: '"sell 1,000 shares"' }],
    });
    expect(report.divergences[0]?.next).not.toMatch(/--live/);
  });

  it('is not reported for what no model reads', async () => {
    const body = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: 'q' }] };
    const recording = await recordAct(echo, (client) => client.chat.completions.create({ ...body, user: 'a' }));
    const { report } = await serving(recording, (client) => client.chat.completions.create({ ...body, user: 'b' }));
    expect(report.exitCode).toBe(0);
  });

  it('finds its answer by what it asks, whatever the order', async () => {
    const recording = await recordAct(echo, asking('a', 'b', 'c'));
    const { value, report } = await serving(recording, asking('c', 'a', 'b'));
    expect(value).toEqual(['c', 'a', 'b']);
    expect(report.divergences.map(({ kind }) => kind)).toContain('reordered');
    expect(report.exitCode).toBe(1);
  });
});

describe('a request that was not recorded', () => {
  it('is refused in the provider’s own format, once, and in the report before the agent knows', async () => {
    const recording = await recordAct(echo, asking('one'));
    const counting = countingFetch();
    const { value, report } = await serving(
      recording,
      async (client, provider) => {
        await ask(client, 'one');
        const error = await rejectionOf(ask(client, 'two'));
        return { error, known: provider.report().divergences.map(({ kind }) => kind) };
      },
      { fetch: counting.fetch, maxRetries: 5 },
    );
    expect(value.error).toBeInstanceOf(NotFoundError);
    expect(value.error).toMatchObject({ status: 404, code: 'reenact_exhausted', type: 'reenact_error' });
    expect(value.known).toEqual(['exhausted']);
    expect(counting.count()).toBe(2);
    expect(report).toMatchObject({ exitCode: 1, counts: { stubbed: 1, refused: 1 } });
  });

  it('is never-recorded where the recording holds no such call at all', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { value, report } = await serving(recording, async (client) => {
      await ask(client, 'one');
      return rejectionOf(client.embeddings.create({ model: 'e', input: 'text' }));
    });
    expect(value).toMatchObject({ status: 404, code: 'reenact_never_recorded' });
    expect(report.divergences[0]).toMatchObject({
      kind: 'never-recorded',
      path: 'agent:asker/embedding:openai.embeddings',
    });
  });

  it('is never-recorded at an address of another API too', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { value, report } = await serving(recording, async (client) => {
      await ask(client, 'one');
      return rejectionOf(client.files.list());
    });
    expect(value).toMatchObject({ status: 404, code: 'reenact_never_recorded' });
    expect(report.divergences[0]?.path).toBe('agent:asker/http:GET /v1/files');
  });
});

describe('what is left at the end', () => {
  it('is unconsumed where the agent asked less than was recorded', async () => {
    const recording = await recordAct(echo, asking('one', 'two'));
    const { report } = await serving(recording, asking('one'));
    expect(report).toMatchObject({ exitCode: 1, counts: { recorded: 2, stubbed: 1, unconsumed: 1 } });
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['unconsumed', 'agent:asker/model:openai.chat#2'],
    ]);
  });

  it('is nothing compared where the agent never asked', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { report } = await serving(recording, async () => undefined);
    expect(report).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
  });
});

describe('requests that are no model calls', () => {
  it('lists the models that the recording names', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { value } = await serving(recording, async (client) => {
      const models = await client.models.list();
      const known = await client.models.retrieve('gpt-5-mini');
      return {
        listed: models.data.map(({ id }) => id),
        known: known.id,
        other: await rejectionOf(client.models.retrieve('x')),
      };
    });
    expect(value).toMatchObject({ listed: ['gpt-5-mini'], known: 'gpt-5-mini', other: { status: 404 } });
  });

  it('refuses a body that is not JSON, and never counts the run as reproduced', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { value, report } = await serving(recording, async (client, { url }) => {
      await ask(client, 'one');
      return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":' })).status;
    });
    expect(value).toBe(400);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
  });

  it('outlives a body that no program can read, and answers what comes after it', async () => {
    const recording = await recordAct(echo, asking('one'));
    const { value, report } = await serving(recording, async (client, { url }) => {
      const body = '['.repeat(200_000) + ']'.repeat(200_000);
      const { status } = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
      return { status, answer: await ask(client, 'one') };
    });
    expect(value.status).toBeGreaterThanOrEqual(400);
    expect(value.answer).toBe('one');
    expect(report.exitCode).toBe(2);
  });
});
