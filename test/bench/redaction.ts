// Measures what redaction costs the host's thread. Run it with: npm run bench:redaction [-- --json --smoke]
import { configureRedaction, redactEncoded, tool } from '@reenact/instrumentation';
import { RecordedCalls, redactChunks, redactExchange } from '@reenact/instrumentation/testing';
import { encodeValue } from '@reenact/trace-model';
import {
  type BenchResult,
  type BenchSize,
  describeResult,
  type Figure,
  machineFacts,
  medianOf,
} from './bench-result.ts';
import {
  conversationOf,
  piecesOf,
  type StreamProtocol,
  streamedChunks,
  streamedExchange,
} from './redaction-payloads.ts';
import { setUpContext } from './set-up-context.ts';

const MESSAGE_CHARACTERS = 30_000;
const EVENTS = 500;

/** What is held against what. */
interface Pair {
  readonly name: string;
  readonly measured: () => unknown;
  readonly against: () => unknown;
}

function clean(name: string, isClean: boolean): void {
  if (!isClean) throw new TypeError(`${name}: redaction found something in what holds no secret`);
}

function streamPair(protocol: StreamProtocol): Pair {
  const exchange = streamedExchange(protocol, piecesOf(EVENTS));
  clean(protocol, redactExchange(exchange).redacted.length === 0);
  return {
    name: `${EVENTS} events of ${protocol}`,
    measured: () => redactExchange(exchange),
    against: () => JSON.stringify(exchange),
  };
}

function payloadPairs(): Pair[] {
  const conversation = conversationOf(MESSAGE_CHARACTERS);
  const encoded = encodeValue(conversation);
  clean('message', redactEncoded(encoded) === encoded);
  const chunks = streamedChunks(piecesOf(EVENTS));
  clean('chunks', redactChunks(chunks) === chunks);
  return [
    {
      name: 'a message of 30 KB',
      measured: () => redactEncoded(encoded),
      against: () => JSON.stringify(conversation),
    },
    ...(['chat completions', 'responses', 'messages'] as const).map(streamPair),
    {
      name: `${EVENTS} chunks of a stream of values`,
      measured: () => redactChunks(chunks),
      against: () => chunks.map(({ value }) => JSON.stringify(value.payload)),
    },
  ];
}

function microsecondsOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return (performance.now() - startedAt) * 1_000;
}

/** The tenth of the turns that took least ends here: on a busy machine the others tell how often a thread has to wait. */
function undisturbed(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 10)] ?? Number.NaN;
}

/** Both, turn by turn, so that whatever else the machine does befalls both. */
function figuresOf({ name, measured, against }: Pair, rounds: number): Figure[] {
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds * 2; round += 1) {
    const pair = [microsecondsOf(measured), microsecondsOf(against)] as const;
    // The first half is that in which V8 compiles.
    if (round < rounds) continue;
    own.push(pair[0]);
    other.push(pair[1]);
  }
  return [
    { name, value: undisturbed(own) / undisturbed(other), unit: 'times JSON.stringify' },
    { name: '  by the clock', value: undisturbed(own), unit: 'µs' },
  ];
}

/** A whole crossing with default rules against the same without any. */
function crossingFigures(rounds: number): Figure[] {
  const conversation = conversationOf(MESSAGE_CHARACTERS);
  const call = tool('answer', (request: object) => request);
  const measure = (defaults: boolean): number => {
    configureRedaction({ defaults });
    const calls = new RecordedCalls();
    const stop = calls.attach();
    const taken = Array.from({ length: 10 }, () => microsecondsOf(() => call(conversation)));
    stop();
    if (calls.facts.length !== taken.length) throw new TypeError(`${calls.facts.length} crossings were recorded`);
    return undisturbed(taken);
  };
  const [on, ratios]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const [without, redacted] = [measure(false), measure(true)];
    if (round < rounds / 3) continue;
    on.push(redacted - without);
    ratios.push(redacted / without);
  }
  return [
    { name: 'a crossing with 30 KB in and out', value: medianOf(ratios), unit: 'times one without redaction' },
    { name: '  more by the clock', value: medianOf(on), unit: 'µs' },
  ];
}

function measure({ isSmoke }: BenchSize): BenchResult {
  const rounds = isSmoke ? 2 : 200;
  const figures = payloadPairs().flatMap((pair) => figuresOf(pair, rounds));
  return {
    name: 'redaction',
    what: `texts without a secret, looked through ${rounds} times, beside JSON.stringify of the same, turn by turn`,
    figures: [...figures, ...crossingFigures(isSmoke ? 3 : 60)],
  };
}

const isJson = process.argv.includes('--json');
const isSmoke = process.argv.includes('--smoke');
setUpContext();
const machine = machineFacts();
const result = measure({ isSmoke });
if (isJson) console.log(JSON.stringify({ machine, isSmoke, results: [result] }, null, 2));
else {
  console.log(`Node.js ${machine.node}, ${machine.processors} × ${machine.processor}\n`);
  console.log(describeResult(result));
}
