import { join } from 'node:path';
import { runCommand } from '../scenarios/run-command.ts';
import { type BenchResult, type BenchSize, medianOf, timed } from './bench-result.ts';

const root = new URL('../..', import.meta.url).pathname;
const agentFolder = join(root, 'test/scenarios/small/agent');
const fixture = join(root, 'test/fixtures/runs/v1/parallel.otlp.jsonl');
const reenact = [process.execPath, join(root, 'packages/reenact/bin/reenact.mjs')];
const script = [process.execPath, 'parallel.ts'];

async function startMs(command: readonly string[]): Promise<number> {
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  const { value, ms } = await timed(() => runCommand(command, { cwd: agentFolder, environment }));
  if (value.exitCode !== 0) throw new TypeError(`${command.join(' ')} failed: ${value.stderr}${value.stdout}`);
  return ms;
}

/** What one process entry costs: the command line, the driver, and the agent's own process with the hook loaded. */
export async function replayStarts({ isSmoke }: BenchSize): Promise<BenchResult> {
  const rounds = isSmoke ? 1 : 10;
  const [plain, hooked, replayed]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await startMs(script));
    hooked.push(await startMs([...reenact, '--version']));
    replayed.push(await startMs([...reenact, 'replay', fixture, '--json', '--', ...script]));
  }
  return {
    name: 'starts',
    what: `\`reenact replay <file> -- node agent.ts\`, ${rounds} times, a process of its own each time`,
    figures: [
      { name: 'one replay, median', value: medianOf(replayed), unit: 'ms' },
      { name: '  of it starting the command line', value: medianOf(hooked) / medianOf(replayed), unit: 'of the whole' },
      { name: '  against the agent started by itself', value: medianOf(replayed) / medianOf(plain), unit: 'times' },
    ],
  };
}
