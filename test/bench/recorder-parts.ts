import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { agent, tool } from '@reenact/instrumentation';
import { RecordedCalls, recordingView, redactEncoded, requestWriter } from '@reenact/instrumentation/testing';
import { canonicalKey, digestOf, encodeValue } from '@reenact/trace-model';
import type { BenchResult, BenchSize, Figure } from './bench-result.ts';
import { type Content, contents, fetcherOf } from './recorder-crossing.ts';

type Facts = RecordedCalls['facts'][number];

/** One thing that is done for every crossing, done for all of them one after the other. */
interface Part {
  readonly name: string;
  readonly work: () => void;
}

async function recorded(content: Content, calls: number): Promise<readonly Facts[]> {
  const recording = new RecordedCalls();
  const stop = recording.attach();
  const getQuote = tool('get_quote', fetcherOf(content), { effect: 'read' });
  await agent('run', async () => {
    for (let call = 0; call < calls; call += 1) await getQuote(content.input);
  })();
  stop();
  return recording.facts.slice(0, calls);
}

async function partsOf(content: Content, calls: number): Promise<Part[]> {
  const facts = await recorded(content, calls);
  const answers = await Promise.all(facts.map(() => fetcherOf(content)(content.input)));
  const inputs = facts.flatMap(({ boundary, input }) =>
    input === undefined ? [] : [{ policy: boundary.policy, input }],
  );
  const values = facts.flatMap(({ input, outcome }) => [input, outcome.value].filter((value) => value !== undefined));
  const texts = values.map(({ payload }) => payload.data ?? '');
  const resource = resourceFromAttributes({ 'service.name': 'bench' });
  const views = facts.map((each) => recordingView(each, () => resource));
  const write = requestWriter((spans) => JsonTraceSerializer.serializeRequest(spans));
  return [
    {
      name: 'input and answer as exact text',
      work: () => answers.map((answer) => [encodeValue([content.input]), encodeValue(answer)]),
    },
    { name: 'both looked through for secrets', work: () => values.map((value) => redactEncoded(value)) },
    { name: 'the digests of both', work: () => texts.map(digestOf) },
    {
      name: 'the key of the input',
      work: () => inputs.map(({ policy, input }) => canonicalKey(policy, input.payload)),
    },
    { name: 'the exported span', work: () => facts.map((each) => recordingView(each, () => resource)) },
    { name: 'its JSON in the request', work: () => write(views) },
  ];
}

/** Microseconds by the clock of the round that took least: other work of the machine only ever adds. */
function leastUs({ work }: Part, { rounds, calls }: { readonly rounds: number; readonly calls: number }): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    work();
    least = Math.min(least, performance.now() - startedAt);
  }
  return (least * 1_000) / calls;
}

/** What each part of a recorded tool call takes at least: no more than that is won by making one faster. */
export async function recorderParts({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [calls, rounds] = isSmoke ? [5, 2] : [60, 500];
  const figures: Figure[] = [];
  for (const content of contents) {
    for (const part of await partsOf(content, calls))
      figures.push({ name: `${content.name}: ${part.name}`, value: leastUs(part, { rounds, calls }), unit: 'µs' });
  }
  return {
    name: 'parts',
    what: `each part of a tool call by itself, for ${calls} calls in a row, the least of ${rounds} rounds`,
    figures,
  };
}
