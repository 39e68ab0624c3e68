// Measures how the collector takes spans, beside its peers. Run it with: npm run bench:ingest [-- <name>… --json --smoke]
import { type BenchResult, type BenchSize, runBenchmarks } from './bench-result.ts';
import { collectorLater } from './collector-later.ts';
import { compareIngest } from './ingest-comparison.ts';
import { LARGE_SPANS, SMALL_SPANS } from './ingest-requests.ts';

const benchmarks: Readonly<Record<string, (size: BenchSize) => Promise<BenchResult>>> = {
  large: (size) => compareIngest('large', LARGE_SPANS, size),
  small: (size) => compareIngest('small', SMALL_SPANS, size),
  later: collectorLater,
};

await runBenchmarks(benchmarks);
