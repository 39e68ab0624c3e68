import { runCommand } from '../scenarios/run-command.ts';
import { type BenchResult, type BenchSize, type Figure, medianOf } from './bench-result.ts';
import { MODEL_CLIENTS, type ModelClientName } from './model-client.ts';
import { startServerProcess } from './server-process.ts';
import { startSink } from './sink.ts';

const folder = new URL('.', import.meta.url).pathname;

interface Size {
  readonly calls: number;
  readonly rounds: number;
}

/** What one call costs a process, microseconds of processor time with everything it exports. */
async function callUs(name: ModelClientName, addresses: readonly string[], { calls, rounds }: Size): Promise<number> {
  const parameters = [name, ...addresses, String(calls), String(rounds)];
  const command = [process.execPath, '--conditions=@reenact/source', `${folder}run-model-client.ts`, ...parameters];
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
  if (exitCode !== 0) throw new TypeError(`${parameters.join(' ')} failed: ${stderr}`);
  const { roundsUs, exported } = JSON.parse(stdout) as { roundsUs: number[]; exported: number };
  const expected = name === 'nobody' ? 0 : calls * rounds;
  if (exported !== expected) throw new TypeError(`${name} exported ${exported} spans of ${expected} calls`);
  // The first rounds are those in which V8 compiles.
  return medianOf(roundsUs.slice(Math.floor(rounds / 3)));
}

/** What is added to the bare call, against what Reenact adds. */
function figuresOf(us: ReadonlyMap<ModelClientName, number>): Figure[] {
  const bare = us.get('nobody') ?? Number.NaN;
  const own = (us.get('Reenact') ?? Number.NaN) - bare;
  const others = (['OpenInference', 'Traceloop'] as const).map((name): Figure => {
    const times = own / ((us.get(name) ?? Number.NaN) - bare);
    return { name: `against ${name}`, value: times, unit: 'times', goal: { words: 'below 1', isMet: times < 1 } };
  });
  return [
    { name: 'what Reenact adds to a call', value: own / bare, unit: 'of the bare call' },
    ...others,
    { name: '  processor time of the bare call', value: bare, unit: 'µs' },
    { name: '  more with Reenact', value: own, unit: 'µs' },
  ];
}

/** The same chat completion of the openai package at a local server, with one instrumentation or none, each in its own process. */
export async function recorderClients({ isSmoke }: BenchSize): Promise<BenchResult> {
  const size = isSmoke ? { calls: 3, rounds: 1 } : { calls: 100, rounds: 10 };
  const passes = isSmoke ? 1 : 2;
  const [server, sink] = await Promise.all([startServerProcess('./model-server-process.ts'), startSink()]);
  const us = new Map<ModelClientName, number>();
  // In turn, so that whatever else the machine does meets all of them.
  for (let pass = 0; pass < passes; pass += 1) {
    for (const name of MODEL_CLIENTS) {
      const measured = await callUs(name, [server.origin, sink.url], size);
      us.set(name, Math.min(us.get(name) ?? measured, measured));
    }
  }
  await Promise.all([server.stop(), sink.stop()]);
  return {
    name: 'clients',
    what: `${size.calls * size.rounds} chat completions with 3 KB in and 2 KB out, exported in batches, the best of ${passes} processes each`,
    figures: figuresOf(us),
  };
}
