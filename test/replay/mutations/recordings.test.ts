import {
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_NAME,
  ATTR_REENACT_OUTPUT,
} from '@reenact/semconv/reenact';
import type { DivergenceKind } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttributeChange, withAttribute, withSpans } from './changed-recording.ts';
import { DeskStage } from './desk-stage.ts';

let stage: DeskStage;

beforeAll(async () => {
  stage = await DeskStage.set();
});

afterAll(() => stage.strike());

interface EditedRecording extends Omit<AttributeChange, 'hasNewDigest'> {
  readonly name: string;
  readonly kind: DivergenceKind;
  readonly reportedAt: string;
  readonly place?: string;
}

const edited: readonly EditedRecording[] = [
  {
    name: 'a recorded argument',
    path: 'agent:desk/retrieval:policies',
    key: ATTR_REENACT_INPUT,
    change: (text) => text.replace('fractional', 'whole'),
    kind: 'input-changed',
    reportedAt: 'agent:desk/retrieval:policies',
    place: '$[0].text',
  },
  {
    name: 'what a tool gave: found in what the model is asked next',
    path: 'agent:desk/tool:get_quote',
    key: ATTR_REENACT_OUTPUT,
    change: (text) => text.replace('190', '191'),
    kind: 'input-changed',
    reportedAt: 'agent:desk/model:openai.chat',
    place: '$.messages[2].content',
  },
  {
    name: 'what a retrieval gave',
    path: 'agent:desk/retrieval:policies',
    key: ATTR_REENACT_OUTPUT,
    change: (text) => text.replace('Round down', 'Round up'),
    kind: 'input-changed',
    reportedAt: 'agent:desk/model:openai.chat',
    place: '$.messages[2].content',
  },
  {
    name: 'the bytes that the provider sent',
    path: 'agent:desk/model:openai.chat',
    key: ATTR_REENACT_EXCHANGES,
    change: (text) => text.replace('Sell five.', 'Sell many.'),
    kind: 'input-changed',
    reportedAt: 'agent:desk/model:openai.chat#2',
    place: '$.messages[2].content',
  },
  {
    name: 'a word of a stream',
    path: 'agent:desk/model:openai.chat#2',
    key: ATTR_REENACT_EXCHANGES,
    change: (text) => text.replace('Sold ', 'Kept '),
    kind: 'outcome-changed',
    reportedAt: 'agent:desk',
    place: '$.said',
  },
  {
    name: 'what the run gave',
    path: 'agent:desk',
    key: ATTR_REENACT_OUTPUT,
    change: (text) => text.replace('true', 'false'),
    kind: 'outcome-changed',
    reportedAt: 'agent:desk',
    place: '$.done',
  },
];

describe('a recording that was edited, its digests made anew', () => {
  it.each(edited.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const recording = withAttribute(stage.recording, { ...row, hasNewDigest: true });
    const { report, done } = await stage.replay({ recording });
    const [first] = report.divergences;
    expect(first).toMatchObject({ kind: row.kind, path: row.reportedAt });
    expect(first?.difference?.map(({ path }) => path)).toContain(row.place);
    expect(report.exitCode).toBe(1);
    expect(done).toEqual([]);
  });
});

describe('a recording that was edited and not made to fit', () => {
  const changes = {
    'another letter': (text: string) => `${text.slice(0, -1)}x`,
    'cut short': (text: string) => text.slice(0, text.length >> 1),
    'nothing left': () => '',
  } as const;

  it.each(Object.entries(changes))('%s: refused for every payload of every crossing', async (_, change) => {
    const paths = stage.recording.crossings.map(({ path }) => path).filter((path) => path !== 'agent:desk');
    let refused = 0;
    for (const path of paths) {
      for (const key of [ATTR_REENACT_INPUT, ATTR_REENACT_OUTPUT, ATTR_REENACT_EXCHANGES]) {
        const span = stage.recording.spans.get(stage.recording.crossings.find((it) => it.path === path)?.spanId ?? '');
        if (!span?.attributes?.some((attribute) => attribute.key === key)) continue;
        const recording = withAttribute(stage.recording, { path, key, change, hasNewDigest: false });
        await expect(stage.replay({ recording })).rejects.toMatchObject({
          code: 'recording-damaged',
          where: path,
          next: expect.stringContaining('reenact export'),
        });
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(20);
  });
});

describe('a recording with a crossing less', () => {
  it.each([
    ['agent:desk/mcp:files/read', 'never-recorded', 'agent:desk/mcp:files/read'],
    ['agent:desk/tool:get_quote#3', 'exhausted', 'agent:desk/tool:get_quote#3'],
    ['agent:desk/agent:analyst/tool:risk', 'never-recorded', 'agent:desk/agent:analyst/tool:risk'],
  ])('%s: %s, and nothing runs', async (path, kind, reportedAt) => {
    const gone = stage.recording.crossings.find((crossing) => crossing.path === path)?.spanId;
    const recording = withSpans(stage.recording, (spans) => spans.filter(({ spanId }) => spanId !== gone));
    const { report, done } = await stage.replay({ recording });
    expect(report.divergences[0]).toMatchObject({ kind, path: reportedAt });
    expect(report.exitCode).toBe(1);
    expect(done).toEqual([]);
  });
});

describe('a recording in which a crossing has another name', () => {
  it('does not answer the call, and has a crossing that nobody made', async () => {
    const recording = withAttribute(stage.recording, {
      path: 'agent:desk/mcp:files/read',
      key: ATTR_REENACT_NAME,
      change: () => 'files/list',
      hasNewDigest: false,
    });
    const { report, done } = await stage.replay({ recording });
    expect(report.divergences.map(({ kind, path }) => `${kind} ${path}`)).toEqual(
      expect.arrayContaining(['never-recorded agent:desk/mcp:files/read', 'unconsumed agent:desk/mcp:files/list']),
    );
    expect(report.divergences[0]?.candidate?.path).toBe('agent:desk/mcp:files/list');
    expect(done).toEqual([]);
  });
});
