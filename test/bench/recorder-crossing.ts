import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, tool } from '@reenact/instrumentation';
import type { BenchResult, BenchSize, Figure } from './bench-result.ts';
import { type Arm, type Cost, compare } from './comparison.ts';
import { type RecorderHost, type SpanHost, startRecorderHost, startSpanHost } from './recorder-host.ts';
import { proseOf } from './redaction-payloads.ts';
import { startSink } from './sink.ts';

const GOAL_TIMES = 1.5;

interface Answer {
  readonly symbol: string;
  readonly history: readonly { readonly day: string; readonly close: number }[];
  readonly text: string;
}

/** What a tool that is called might take and give back. */
export interface Content {
  readonly name: string;
  readonly input: { readonly symbol: string; readonly fields: readonly string[]; readonly ask: string };
  readonly text: string;
}

/** Small and long. */
export const contents: readonly Content[] = [
  { name: 'a quote of 1 KB', input: { symbol: 'ACME', fields: ['price', 'volume'], ask: 'now' }, text: '' },
  {
    name: 'texts of 15 KB in and 15 KB out',
    input: { symbol: 'ACME', fields: ['price', 'volume'], ask: proseOf(15_000) },
    text: proseOf(15_000),
  },
];

/** The tool's code. */
export function fetcherOf({ text }: Content): (input: Content['input']) => Promise<Answer> {
  return async ({ symbol }) => {
    const history = Array.from({ length: 20 }, (_, day) => ({ day: `2026-11-${day + 1}`, close: 100 + day / 8 }));
    return { symbol, history, text };
  };
}

/** The same content as JSON on a span, which is what an app does by hand. */
function spanArm(content: Content, { provider, flush }: SpanHost): Arm {
  const tracer = provider.getTracer('bench');
  const fetchAnswer = fetcherOf(content);
  const call = (): Promise<Answer> => {
    const attributes = { input: JSON.stringify([content.input]) };
    return tracer.startActiveSpan('execute_tool get_quote', { attributes }, async (span) => {
      const answer = await fetchAnswer(content.input);
      span.setAttribute('output', JSON.stringify(answer));
      span.end();
      return answer;
    });
  };
  const run = (calls: number): Promise<void> =>
    tracer.startActiveSpan('run', async (span) => {
      for (let index = 0; index < calls; index += 1) await call();
      span.end();
    });
  return { name: 'span', run, flush };
}

function crossingArm(name: string, content: Content, { processor, use }: RecorderHost): Arm {
  const getQuote = tool('get_quote', fetcherOf(content), { effect: 'read' });
  const cross = agent('run', async (calls: number) => {
    for (let index = 0; index < calls; index += 1) await getQuote(content.input);
  });
  const run = (calls: number): Promise<void> => {
    use();
    return cross(calls);
  };
  return { name, run, flush: () => processor.forceFlush() };
}

function figuresOf({ name }: Content, costs: readonly Cost[]): Figure[] {
  const [base] = costs;
  return costs.slice(1).flatMap((cost) => {
    const times = cost.cpuUs / (base?.cpuUs ?? Number.NaN);
    const goal = { words: `at most ${GOAL_TIMES}`, isMet: times <= GOAL_TIMES };
    return [
      { name: `${name}: ${cost.name}`, value: times, unit: 'times a span', goal },
      {
        name: '  of it before the host goes on',
        value: cost.pathUs / (base?.pathUs ?? Number.NaN),
        unit: 'times a span',
      },
      { name: '  processor time, export included', value: cost.cpuUs, unit: 'µs' },
    ];
  });
}

/**
 * What a recorded crossing costs beside an OpenTelemetry span of the same content, JSON-stringified and exported in batches:
 * processor time with everything that is exported afterwards.
 */
export async function recorderCrossing({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [calls, rounds] = isSmoke ? [20, 1] : [400, 25];
  const sink = await startSink();
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-'));
  const plain = startSpanHost(sink.url, false);
  const recorder = startRecorderHost(sink.url);
  const spooling = startRecorderHost(sink.url, { spool: { directory, destination: sink.url } });
  const figures: Figure[] = [];
  for (const content of contents) {
    const arms = [
      spanArm(content, plain),
      crossingArm('crossing', content, recorder),
      crossingArm('crossing with spool', content, spooling),
    ];
    figures.push(...figuresOf(content, await compare(arms, { rounds, calls })));
  }
  await Promise.all([plain.stop(), recorder.stop(), spooling.stop()]);
  await sink.stop();
  rmSync(directory, { recursive: true });
  return {
    name: 'crossing',
    what: `${calls} tool calls a round, ${rounds} rounds in turn in this process, medians, against spans with the same content as JSON`,
    figures,
  };
}
