// Measures the collector's store. Run it with: npm run bench:store [-- <name>… --json --smoke]
import { type BenchResult, type BenchSize, runBenchmarks } from './bench-result.ts';
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

await runBenchmarks(benchmarks);
