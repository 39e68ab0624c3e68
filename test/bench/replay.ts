// Measures replay. Run it with: npm run bench:replay [-- <name>… --json --smoke]
import { type BenchResult, type BenchSize, describeResult, machineFacts } from './bench-result.ts';
import { replayCrossings } from './replay-crossings.ts';
import { replayFixtures } from './replay-fixtures.ts';
import { replayHttp } from './replay-http.ts';
import { replayOverhead } from './replay-overhead.ts';
import { replayStarts } from './replay-starts.ts';
import { setUpContext } from './set-up-context.ts';

const benchmarks: Readonly<Record<string, (size: BenchSize) => Promise<BenchResult>>> = {
  // First, so that its first replay is the first of the process.
  overhead: replayOverhead,
  crossings: replayCrossings,
  fixtures: replayFixtures,
  starts: replayStarts,
  http: replayHttp,
};

const parameters = process.argv.slice(2);
const names = parameters.filter((parameter) => !parameter.startsWith('--'));
const unknown = names.find((name) => benchmarks[name] === undefined);
const isJson = parameters.includes('--json');
const isSmoke = parameters.includes('--smoke');

async function main(): Promise<void> {
  setUpContext();
  const machine = machineFacts();
  const { node, processor, processors } = machine;
  if (!isJson) console.log(`Node.js ${node}, ${processors} × ${processor}\n`);
  const results: BenchResult[] = [];
  for (const [name, run] of Object.entries(benchmarks)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const result = await run({ isSmoke });
    results.push(result);
    if (!isJson) console.log(describeResult(result));
  }
  if (isJson) console.log(JSON.stringify({ machine, isSmoke, results }, null, 2));
}

if (unknown === undefined) await main();
else {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exitCode = 2;
}
