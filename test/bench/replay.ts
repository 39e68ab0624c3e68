// Measures replay. Run it with: npm run bench:replay [-- <name>… --json --smoke]

import { runBenchmarks } from './bench-result.ts';
import { replayCrossings } from './replay-crossings.ts';
import { replayFixtures } from './replay-fixtures.ts';
import { replayHttp } from './replay-http.ts';
import { replayOverhead } from './replay-overhead.ts';
import { replayStarts } from './replay-starts.ts';
import { setUpContext } from './set-up-context.ts';

setUpContext();
await runBenchmarks({
  // First, so that its first replay is the first of the process.
  overhead: replayOverhead,
  crossings: replayCrossings,
  fixtures: replayFixtures,
  starts: replayStarts,
  http: replayHttp,
});
