import type { RunList } from '@reenact/trace-model/collector-api';
import type { Terminal } from './terminal.ts';

/** Says where an answer of the collector may lack runs because they still wait for their summary. */
export function printUnsummarised(
  { unsummarisedRuns: count }: Pick<RunList, 'unsummarisedRuns'>,
  terminal: Terminal,
): void {
  if (count === undefined) return;
  const runs = count === 1 ? '1 run is' : `${count.toLocaleString('en-US')} runs are`;
  terminal.err(`${runs} still being summarised; ask again.`);
}
