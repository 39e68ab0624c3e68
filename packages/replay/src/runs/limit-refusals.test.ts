import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileSink } from '../events/event-sink.ts';
import type { ReplayEvent } from '../events/replay-event.ts';
import { REFUSED_CALLS_MAX } from '../limits.ts';
import { gatherReports } from '../process/replay-directory.ts';
import { limitRefusals } from './limit-refusals.ts';

it('a program that makes refused calls without end is ended at a limit, and the report says so', () => {
  const directory = mkdtempSync(join(tmpdir(), 'limit-refusals-'));
  const sink = FileSink.open(directory);
  let stops = 0;
  limitRefusals(sink, () => {
    stops += 1;
  });
  const call = (answer: 'refused' | 'stub'): ReplayEvent => ({
    type: 'met',
    crossing: 1,
    path: 'agent:a/tool:t#2',
    answer,
    compared: false,
  });
  for (let count = 1; count < REFUSED_CALLS_MAX; count += 1) sink.write(call('refused'));
  sink.write(call('stub'));
  expect(stops).toBe(0);
  sink.write(call('refused'));
  sink.write(call('refused'));
  expect(stops).toBe(1);
  const notes = gatherReports(directory).events.flatMap(({ event }) => (event.type === 'note' ? [event.text] : []));
  expect(notes).toEqual([expect.stringMatching(/^10,000 calls were refused.*The last was agent:a\/tool:t#2\.$/)]);
  sink.close();
  rmSync(directory, { recursive: true });
});
