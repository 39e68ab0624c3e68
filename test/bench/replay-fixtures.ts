import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import { agent, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { replayAll } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { readFixture, writeFixture } from '@reenact/trace-model/reading';
import { type BenchResult, type BenchSize, timed } from './bench-result.ts';

const STEPS = 20;
const GOAL_SECONDS_PER_THOUSAND = 30;

const search = tool('search', async ({ step }: { step: number }) => ({ step, text: 'x'.repeat(200) }), {
  effect: 'read',
});
const note = tool('note', async ({ text }: { text: string }) => text.length);

const worker = agent('worker', async ({ id }: { id: number }) => {
  let characters = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const { text } = await search({ step });
    characters += await note({ text });
  }
  return { id, characters };
});

function fixtureOf(id: number): Recording {
  const children = Array.from({ length: STEPS }, (_, step) => [
    { label: 'tool:search', input: [{ step }], output: { step, text: 'x'.repeat(200) } } as const,
    { label: 'tool:note', input: [{ text: 'x'.repeat(200) }], output: 200 } as const,
  ]).flat();
  return buildRecording({ label: 'agent:worker', input: [{ id }], output: { id, characters: STEPS * 200 }, children });
}

async function runPlain(count: number): Promise<void> {
  for (let id = 0; id < count; id += 1) await worker({ id });
}

async function measured(folder: string, count: number): Promise<BenchResult> {
  const plain = await timed(() => runPlain(count));
  const read = await timed(() =>
    readdirSync(folder).map((name) => assembleRecording(readFixture(readFileSync(join(folder, name), 'utf8'), name))),
  );
  const replayed = await timed(() => replayAll({ recordings: read.value, entry: worker }));
  const reproduced = replayed.value.filter(({ verdict }) => verdict === 'reproduced').length;
  if (reproduced !== count) throw new TypeError(`Only ${reproduced} of ${count} were reproduced.`);
  const totalMs = read.ms + replayed.ms;
  const perThousand = totalMs / count;
  return {
    name: 'fixtures',
    what: `${count} fixture files of ${STEPS * 2} crossings, through a function entry in this process`,
    figures: [
      {
        name: 'reading, checking and replaying a thousand',
        value: perThousand,
        unit: 's',
        goal: {
          words: `below ${GOAL_SECONDS_PER_THOUSAND} s on two processors`,
          isMet: perThousand < GOAL_SECONDS_PER_THOUSAND,
        },
      },
      { name: '  of it reading and checking', value: read.ms / totalMs, unit: 'of the whole' },
      { name: '  replaying against running with nothing recorded', value: replayed.ms / plain.ms, unit: 'times' },
    ],
  };
}

/** How long it takes to read, check and replay many fixture files in one warm process. */
export async function replayFixtures({ isSmoke }: BenchSize): Promise<BenchResult> {
  const count = isSmoke ? 5 : 1_000;
  const base = mkdtempSync(join(tmpdir(), 'reenact-bench-'));
  try {
    const folder = join(base, 'fixtures');
    mkdirSync(folder);
    for (let id = 0; id < count; id += 1) {
      writeFileSync(join(folder, `${id}.otlp.jsonl`), writeFixture(fixtureOf(id).data));
    }
    return await measured(folder, count);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
