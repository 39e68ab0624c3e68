// Measures what recording costs the host. Run it with: npm run bench:recorder [-- <name>… --json --smoke]

import { runBenchmarks } from './bench-result.ts';
import { recorderClients } from './recorder-clients.ts';
import { recorderCrossing } from './recorder-crossing.ts';
import { recorderFirstByte } from './recorder-first-byte.ts';
import { recorderMemory } from './recorder-memory.ts';
import { recorderOutage } from './recorder-outage.ts';
import { recorderParts } from './recorder-parts.ts';
import { setUpContext } from './set-up-context.ts';

setUpContext();
await runBenchmarks({
  crossing: recorderCrossing,
  parts: recorderParts,
  clients: recorderClients,
  'first-byte': recorderFirstByte,
  memory: recorderMemory,
  outage: recorderOutage,
});
