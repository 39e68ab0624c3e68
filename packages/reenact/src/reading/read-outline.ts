import { setTimeout as wait } from 'node:timers/promises';
import { toReenactError } from '@reenact/trace-model';
import type { RunTree } from '@reenact/trace-model/collector-api';
import { SUMMARY_ASK_EVERY_MS, SUMMARY_WAIT_MS_MAX } from '../limits.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openCollector } from './open-collector.ts';

/** The tree of a run, once the collector has summarised it. Throws ReenactError. */
export async function readOutline(id: string, url: string, terminal: Pick<Terminal, 'err'>): Promise<RunTree> {
  const client = openCollector(url);
  const startedAt = performance.now();
  for (let asked = 1; ; asked += 1) {
    try {
      return await client.getRun(id);
    } catch (thrown) {
      const error = toReenactError(thrown);
      if (error.code !== 'store-busy' || performance.now() - startedAt > SUMMARY_WAIT_MS_MAX) throw error;
      if (asked === 1) terminal.err('The collector still summarises the run; waiting for it.');
      await wait(SUMMARY_ASK_EVERY_MS);
    }
  }
}
