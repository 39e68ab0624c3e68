import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { RecordingProcessor, tool } from '../index.ts';

// Run as a process of its own: makes calls while no collector takes anything, and prints what became of them.
const directory = mkdtempSync(join(tmpdir(), 'reenact-away-'));
const exporter: SpanExporter = {
  export: (_spans, done) => done({ code: 1, error: new Error('away') }),
  shutdown: async () => undefined,
};
const spool = { directory, destination: 'http://127.0.0.1:1/v1/traces' };
const processor = new RecordingProcessor(exporter, {
  flushesAtEnd: false,
  ...(process.argv[2] === 'without' ? {} : { spool }),
});
const answer = tool('answer', async (number: number) => `${number} `.padEnd(20_000, `${number} words of an answer, `));
const CALLS = 2_500;
for (let number = 1; number <= CALLS; number += 1) {
  await answer(number);
  await turn();
}
const dropped = processor.dropped().get('queue-full') ?? 0;
process.stdout.write(`called ${CALLS} times, dropped ${dropped}`);
rmSync(directory, { recursive: true, force: true });
