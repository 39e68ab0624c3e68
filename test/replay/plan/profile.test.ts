import { renderText } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordAct } from '../../serve/recorded-agent.ts';
import { startScriptedProvider } from '../../serve/scripted-provider.ts';
import { chatAnswer, chatCall, json } from './answers.ts';
import { Broker, type BrokerSettings, brokerScript } from './broker.ts';
import { type ReplayedActOptions, replayAct } from './replayed-act.ts';

let recording: Recording;

beforeAll(async () => {
  recording = await recordAct(brokerScript, new Broker().act);
});

function run(settings: BrokerSettings, options: ReplayedActOptions = {}): Promise<ReplayReport> {
  return replayAct(recording, new Broker(settings).act, options);
}

const firstModel = 'agent:asker/model:openai.chat';

describe('a prompt and a model that were changed on purpose', () => {
  const changed = { prompt: 'You trade with care.', model: 'gpt-6' };

  it('are divergences under the strict profile', async () => {
    const report = await run(changed);
    expect(report).toMatchObject({ profile: 'strict', verdict: 'diverged', exitCode: 1 });
    expect(report.divergences[0]).toMatchObject({ kind: 'input-changed', path: firstModel });
  });

  it('are notes under the edit-tolerant profile, which says so', async () => {
    const report = await run(changed, { profile: 'edit-tolerant' });
    expect(report).toMatchObject({ profile: 'edit-tolerant', verdict: 'reproduced', divergences: [], exitCode: 0 });
    expect(renderText(report, { color: false })).toContain('its model calls matched by place and tools only');
    const notes = report.notes.filter((note) => note.startsWith('Profile edit-tolerant:'));
    // Both calls differ alike: one note, which names both.
    expect(notes).toEqual([
      expect.stringMatching(
        /model:openai\.chat was matched by its place and tools.*differs in (model, messages|messages, model).*one more crossing: agent:asker\/model:openai\.chat#2\.$/,
      ),
    ]);
    expect(report.repeatedNotes).toMatchObject([{ text: notes[0], paths: [firstModel, `${firstModel}#2`] }]);
    expect(report.crossings.filter(({ path }) => path.includes('model:'))).toMatchObject([
      { rung: 'order' },
      { rung: 'order' },
    ]);
  });

  it('let no tool argument pass', async () => {
    const report = await run({ ...changed, requestId: () => 'request-2' }, { profile: 'edit-tolerant' });
    expect(report.divergences).toMatchObject([{ kind: 'input-changed', path: 'agent:asker/tool:get_quote' }]);
    expect(report.exitCode).toBe(1);
  });
});

describe('a tool schema that was changed', () => {
  const describesQuote = 'The price, in dollars.';

  it.each(['strict', 'edit-tolerant'] as const)(
    'is schema-changed with its name and path under %s',
    async (profile) => {
      const report = await run({ describesQuote }, { profile });
      expect(report.divergences[0]).toMatchObject({
        kind: 'schema-changed',
        path: firstModel,
        difference: [
          {
            path: '$.tools.get_quote.function.description',
            recorded: '"Last traded price."',
            live: '"The price, in dollars."',
          },
        ],
      });
      expect(report.divergences[0]?.message).toContain('get_quote');
      expect(report.divergences.map(({ kind }) => kind)).not.toContain('input-changed');
      expect(report.exitCode).toBe(1);
    },
  );

  it('is told apart from a prompt that was changed with it', async () => {
    const report = await run({ describesQuote, prompt: 'Other.' });
    const kinds = report.divergences.filter(({ path }) => path === firstModel).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['input-changed', 'schema-changed']);
  });
});

describe('a live model', () => {
  it('is compared by what it says, and by which model said it', async () => {
    const same = chatAnswer('Sold 1,000 shares.');
    const other = { ...same, id: 'chatcmpl-9', created: 1, system_fingerprint: 'fp_2', model: 'gpt-5-mini-2027-01-01' };
    const provider = await startScriptedProvider(json(other));
    try {
      const report = await run({}, { live: ['model:openai.chat#2'], liveUrl: provider.baseUrl });
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
      expect(report.divergences.map(({ kind }) => kind)).toEqual(['environment-changed']);
      expect(report.divergences[0]?.difference).toEqual(
        expect.arrayContaining([
          { path: '$.model', recorded: '"gpt-5-mini-2026-08-07"', live: '"gpt-5-mini-2027-01-01"' },
          { path: '$.system_fingerprint', recorded: '"fp_1"', live: '"fp_2"' },
        ]),
      );
      expect(report.notes.join('\n')).toContain('compared by what they say');
    } finally {
      await provider.stop();
    }
  });

  it('whose tool calls have other ids goes as recorded, and a tool is found by its own', async () => {
    const answers = [
      chatAnswer(null, [chatCall('call_of_today_1', 'place_order', { shares: 1000 })]),
      chatAnswer('Sold 1,000 shares.'),
    ];
    const provider = await startScriptedProvider((...asked) => json(answers[asked[2] % 2] ?? {})(...asked));
    try {
      const report = await run({}, { live: ['model:*'], liveUrl: provider.baseUrl });
      expect(report.divergences.filter(({ kind }) => kind !== 'environment-changed')).toEqual([]);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
      expect(report.crossings.find(({ path }) => path.endsWith('tool:place_order'))).toMatchObject({
        rung: 'tool-call-id',
      });
    } finally {
      await provider.stop();
    }
  });

  it('that says something else is output-changed', async () => {
    const provider = await startScriptedProvider(json(chatAnswer('Sold 999 shares.')));
    try {
      const report = await run({}, { live: ['model:openai.chat#2'], liveUrl: provider.baseUrl });
      expect(report.divergences.find(({ kind }) => kind === 'output-changed')?.difference).toEqual([
        { path: '$.choices[0].content', recorded: '"Sold 1,000 shares."', live: '"Sold 999 shares."' },
      ]);
    } finally {
      await provider.stop();
    }
  });
});
