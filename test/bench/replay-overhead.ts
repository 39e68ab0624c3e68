import { execFileSync } from 'node:child_process';
import { agent, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { replay } from '@reenact/replay';
import { ATTR_REENACT_ENVIRONMENT_LOCALE, ATTR_REENACT_ENVIRONMENT_TIME_ZONE } from '@reenact/semconv/reenact';
import { type BenchResult, type BenchSize, medianOf, timed } from './bench-result.ts';

const CROSSINGS = 40;
const GOAL_MS = 50;

type Search = (query: { readonly step: number }) => Promise<{ readonly step: number; readonly text: string }>;

const text = 'a paragraph of some length that a retrieval might give back to an agent. '.repeat(10);
const answer: Search = async ({ step }) => ({ step, text });

/** The agent's own work: it looks at every answer. */
async function work(search: Search): Promise<number> {
  let characters = 0;
  for (let step = 0; step < CROSSINGS; step += 1) {
    characters += JSON.stringify(await search({ step })).length;
  }
  return characters;
}

const search = tool('search', answer, { effect: 'read' });
const worker = agent('worker', async () => work(search));

/**
 * Recordings say where they were made, and comparing that is part of what a first replay costs. Another process is asked: the
 * first to ask in a process waits for the platform's tables of languages.
 */
function madeHere(): [string, string][] {
  const ask =
    'const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions(); JSON.stringify([timeZone, locale])';
  const answer = execFileSync(process.execPath, ['-p', ask], { encoding: 'utf8' });
  const [timeZone = '', locale = ''] = JSON.parse(answer) as string[];
  return [
    [ATTR_REENACT_ENVIRONMENT_TIME_ZONE, timeZone],
    [ATTR_REENACT_ENVIRONMENT_LOCALE, locale],
  ];
}

const goal = (ms: number) => ({ words: `below ${GOAL_MS} ms`, isMet: ms < GOAL_MS });

/** What a replay of 40 crossings costs beyond the agent's own code, the first time in a process and later. */
export async function replayOverhead({ isSmoke }: BenchSize): Promise<BenchResult> {
  const rounds = isSmoke ? 2 : 200;
  const built = buildRecording({
    label: 'agent:worker',
    output: await work(answer),
    children: Array.from({ length: CROSSINGS }, (_, step) => {
      return { label: 'tool:search', input: [{ step }], output: { step, text } } as const;
    }),
  });
  const recording = { ...built, resource: new Map([...built.resource, ...madeHere()]) };
  const beyond: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await timed(() => work(answer));
    const { value: report, ms } = await timed(() => replay({ recording, run: () => worker() }));
    if (report.verdict !== 'reproduced') throw new TypeError(`The run was ${report.verdict}.`);
    beyond.push(ms - alone.ms);
  }
  const [first = Number.NaN, ...later] = beyond;
  return {
    name: 'overhead',
    what: `a run of ${CROSSINGS} crossings, replayed ${rounds} times, less the same work without Reenact`,
    figures: [
      { name: 'first replay of a process', value: first, unit: 'ms', goal: goal(first) },
      { name: 'later replays, median', value: medianOf(later), unit: 'ms', goal: goal(medianOf(later)) },
    ],
  };
}
