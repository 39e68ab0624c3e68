import { agent, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { type BenchResult, type BenchSize, type Figure, medianOf, timed } from './bench-result.ts';

const GOAL_PER_SECOND = 50_000;

/** How the agent makes its calls. */
interface Shape {
  readonly name: string;
  readonly run: (count: number) => Promise<number>;
  /** Recorded as calls that went on at the same time. */
  readonly isParallel: boolean;
  readonly isSync: boolean;
}

const addLater = tool('add', async (number: number) => number + 1, { effect: 'read' });
const addNow = tool('add', (number: number) => number + 1, { effect: 'read' });

const shapes: readonly Shape[] = [
  {
    name: 'one call awaited after the other',
    isParallel: false,
    isSync: false,
    run: async (count) => {
      let sum = 0;
      for (let number = 0; number < count; number += 1) sum += await addLater(number);
      return sum;
    },
  },
  {
    name: 'ten calls at a time',
    isParallel: true,
    isSync: false,
    run: async (count) => {
      let sum = 0;
      for (let number = 0; number < count; number += 10) {
        const calls = Array.from({ length: 10 }, (_, place) => addLater(number + place));
        for (const result of await Promise.all(calls)) sum += result;
      }
      return sum;
    },
  },
  {
    name: 'synchronous calls',
    isParallel: false,
    isSync: true,
    run: async (count) => {
      let sum = 0;
      for (let number = 0; number < count; number += 1) sum += addNow(number);
      return sum;
    },
  },
];

function recordingOf({ isParallel, isSync }: Shape, count: number): Recording {
  return buildRecording({
    label: 'agent:adder',
    input: [count],
    output: (count * (count + 1)) / 2,
    startUs: 0,
    endUs: (count + 1) * 10,
    children: Array.from({ length: count }, (_, number) => {
      const startUs = isParallel ? Math.floor(number / 10) * 100 + 1 : number * 10 + 1;
      const endUs = isParallel ? startUs + 10 + (number % 10) : startUs + 5;
      const call = isSync ? 'sync' : 'promise';
      return { label: 'tool:add', input: [number], output: number + 1, startUs, endUs, call, settled: number } as const;
    }),
  });
}

async function measured(shape: Shape, count: number, rounds: number): Promise<Figure[]> {
  const adder = agent('adder', async (length: number) => shape.run(length));
  const recording = recordingOf(shape, count);
  const [wall, processor, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push((await timed(() => adder(count))).ms);
    const before = process.cpuUsage();
    const { value: report, ms } = await timed(() => replay({ recording, run: () => adder(count) }));
    const { user, system } = process.cpuUsage(before);
    if (report.verdict !== 'reproduced' || report.counts.stubbed !== count) {
      throw new TypeError(`${shape.name}: ${report.verdict}, ${report.counts.stubbed} stubbed of ${count}`);
    }
    wall.push(ms);
    processor.push((user + system) / 1_000);
  }
  // The first rounds are those in which V8 compiles.
  const settled = (values: readonly number[]): number => medianOf(values.slice(Math.floor(rounds / 3)));
  const perSecond = (count * 1_000) / settled(wall);
  return [
    {
      name: shape.name,
      value: perSecond,
      unit: 'a second',
      goal: { words: `${GOAL_PER_SECOND.toLocaleString('en-US')} a second`, isMet: perSecond >= GOAL_PER_SECOND },
    },
    { name: '  by processor time', value: (count * 1_000) / settled(processor), unit: 'a second' },
    { name: '  against the wrapped call outside a replay', value: settled(wall) / settled(bare), unit: 'times' },
  ];
}

/** How many calls a replay answers per second in one process: look-up, comparison, release and report included. */
export async function replayCrossings({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [count, rounds] = isSmoke ? [100, 1] : [20_000, 9];
  const figures: Figure[] = [];
  for (const shape of shapes) figures.push(...(await measured(shape, count, rounds)));
  return {
    name: 'crossings',
    what: `runs of ${count} calls with small payloads, replayed ${rounds} times in this process`,
    figures,
  };
}
