// How long it takes to replay 1,000 fixture files through a function entry in one warm process (goal: 30 s on two cores).
// Run it with: node --conditions=@reenact/source test/bench/replay-fixtures.ts [number of fixtures]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { assembleRecording } from '@reenact/dialects';
import { agent, tool } from '@reenact/instrumentation';
import { replayAll } from '@reenact/replay';
import { buildRecording } from '@reenact/replay/testing';
import { type Recording, readFixture, writeFixture } from '@reenact/trace-model';

const FIXTURES = Number(process.argv[2] ?? '1000');
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

async function timed<Value>(work: () => Value | Promise<Value>): Promise<{ value: Value; ms: number }> {
  const startedAt = performance.now();
  return { value: await work(), ms: performance.now() - startedAt };
}

async function runPlain(): Promise<void> {
  for (let id = 0; id < FIXTURES; id += 1) await worker({ id });
}

function say(name: string, ms: number): void {
  console.log(`${name.padEnd(44)} ${(ms / 1000).toFixed(2)} s  ${(ms / FIXTURES).toFixed(3)} ms each`);
}

async function measure(folder: string): Promise<boolean> {
  const plain = await timed(runPlain);
  const read = await timed(() =>
    readdirSync(folder).map((name) => assembleRecording(readFixture(readFileSync(join(folder, name), 'utf8'), name))),
  );
  const replayed = await timed(() => replayAll({ recordings: read.value, entry: worker }));
  const reproduced = replayed.value.filter(({ verdict }) => verdict === 'reproduced').length;
  const totalMs = read.ms + replayed.ms;
  const goalMs = (GOAL_SECONDS_PER_THOUSAND * 1_000 * FIXTURES) / 1_000;
  console.log(`${FIXTURES} fixtures of ${STEPS * 2} crossings, one process`);
  say('the agent alone, nothing recorded or replayed', plain.ms);
  say('reading and checking the files', read.ms);
  say('replaying', replayed.ms);
  console.log(
    `crossings answered per second while replaying: ${Math.round((FIXTURES * STEPS * 2 * 1_000) / replayed.ms)}`,
  );
  console.log(`reproduced ${reproduced} of ${FIXTURES}`);
  console.log(`share of the goal used: ${(totalMs / goalMs).toFixed(3)} (goal: below 1)`);
  return reproduced === FIXTURES && totalMs < goalMs;
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const base = mkdtempSync(join(tmpdir(), 'reenact-bench-'));
try {
  const folder = join(base, 'fixtures');
  mkdirSync(folder);
  for (let id = 0; id < FIXTURES; id += 1) {
    writeFileSync(join(folder, `${id}.otlp.jsonl`), writeFixture(fixtureOf(id).data));
  }
  process.exitCode = (await measure(folder)) ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
