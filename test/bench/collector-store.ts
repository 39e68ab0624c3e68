// Measures the collector's store. Run it with: npm run bench:store [-- <name>… --json --smoke]
import { type BenchResult, type BenchSize, describeResult, machineFacts } from './bench-result.ts';
import { collectorStoreLatency } from './collector-store-latency.ts';
import { collectorStoreLookup } from './collector-store-lookup.ts';
import { collectorStoreRate } from './collector-store-rate.ts';
import { collectorStoreRehydrate } from './collector-store-rehydrate.ts';
import { collectorStoreSize } from './collector-store-size.ts';

const benchmarks: Readonly<Record<string, (size: BenchSize) => Promise<BenchResult>>> = {
  latency: collectorStoreLatency,
  rate: collectorStoreRate,
  size: collectorStoreSize,
  rehydrate: collectorStoreRehydrate,
  lookup: collectorStoreLookup,
};

const parameters = process.argv.slice(2);
const names = parameters.filter((parameter) => !parameter.startsWith('--'));
const unknown = names.find((name) => benchmarks[name] === undefined);
const isJson = parameters.includes('--json');
const isSmoke = parameters.includes('--smoke');

async function main(): Promise<void> {
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
  console.error(`There is no benchmark "${unknown}": use ${Object.keys(benchmarks).join(', ')}.`);
  process.exitCode = 2;
}
