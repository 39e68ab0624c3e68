import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import { type BenchResult, type BenchSize, type Figure, medianOf } from './bench-result.ts';
import { type ClientRounds, MODEL_CLIENTS, type ModelClientName } from './model-client.ts';
import { startServerProcess } from './server-process.ts';
import { startSink } from './sink.ts';

const folder = new URL('.', import.meta.url).pathname;

interface Size {
  readonly calls: number;
  readonly rounds: number;
}

/** What a call costs one process, microseconds of processor time with everything it exports. */
interface CallCost {
  readonly bareUs: number;
  /** What the instrumentation adds to it. */
  readonly addedUs: number;
  /** What a call leaves on the heap until a full garbage collection, of what a bare one leaves. */
  readonly leftTimes: number;
}

async function callCost(
  name: ModelClientName,
  addresses: readonly string[],
  { calls, rounds }: Size,
): Promise<CallCost> {
  const parameters = [name, ...addresses, String(calls), String(rounds)];
  const command = [process.execPath, '--conditions=@reenact/source', `${folder}run-model-client.ts`, ...parameters];
  const environment = bareEnvironment();
  const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
  if (exitCode !== 0) throw new TypeError(`${parameters.join(' ')} failed: ${stderr}`);
  const { bareUs, instrumentedUs, exported, ...left } = JSON.parse(stdout) as ClientRounds;
  const expected = calls * rounds;
  if (exported !== expected) throw new TypeError(`${name} exported ${exported} spans of ${expected} calls`);
  // The first rounds are those in which V8 compiles.
  const from = Math.floor(rounds / 3);
  const pairs = bareUs
    .map((bare, round) => ({ bare, added: (instrumentedUs[round] ?? Number.NaN) - bare }))
    .slice(from);
  return {
    bareUs: medianOf(pairs.map(({ bare }) => bare)),
    addedUs: medianOf(pairs.map(({ added }) => added)),
    leftTimes: left.instrumentedLeftBytes / left.bareLeftBytes,
  };
}

const unknownCost: CallCost = { bareUs: Number.NaN, addedUs: Number.NaN, leftTimes: Number.NaN };

/** What is added to the bare call, against what Reenact adds. Shares of the bare call: processes run at different moments. */
function figuresOf(costs: ReadonlyMap<ModelClientName, CallCost>): Figure[] {
  const shareOf = (name: ModelClientName): number => {
    const { bareUs, addedUs } = costs.get(name) ?? unknownCost;
    return addedUs / bareUs;
  };
  const own = shareOf('Reenact');
  const { bareUs, addedUs } = costs.get('Reenact') ?? unknownCost;
  const others = (['OpenInference', 'Traceloop'] as const).map((name): Figure => {
    const times = own / shareOf(name);
    // Who is measured to add less than nothing adds too little to be told from noise.
    return {
      name: `against ${name}`,
      value: times,
      unit: 'times',
      goal: { words: 'below 1', isMet: times > 0 && times < 1 },
    };
  });
  return [
    { name: 'what Reenact adds to a call', value: own, unit: 'of the bare call' },
    ...others,
    { name: '  processor time of the bare call', value: bareUs, unit: 'µs' },
    { name: '  more with Reenact', value: addedUs, unit: 'µs' },
    ...MODEL_CLIENTS.map((name) => ({
      name: `what a call leaves until a full garbage collection, with ${name}`,
      value: (costs.get(name) ?? unknownCost).leftTimes,
      unit: 'times the bare call',
    })),
  ];
}

/**
 * The same chat completion of the openai package at a local server, each instrumentation in a process of its own, where rounds with it
 * and rounds with a copy of the package that nobody patches take turns.
 */
export async function recorderClients({ isSmoke }: BenchSize): Promise<BenchResult> {
  const size = isSmoke ? { calls: 3, rounds: 1 } : { calls: 100, rounds: 30 };
  const [server, sink] = await Promise.all([startServerProcess('./model-server-process.ts'), startSink()]);
  const costs = new Map<ModelClientName, CallCost>();
  for (const name of MODEL_CLIENTS) costs.set(name, await callCost(name, [server.origin, sink.url], size));
  await Promise.all([server.stop(), sink.stop()]);
  return {
    name: 'clients',
    what: `${size.calls * size.rounds} chat completions with 3 KB in and 2 KB out, exported in batches, in turn with as many bare ones`,
    figures: figuresOf(costs),
  };
}
