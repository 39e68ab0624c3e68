import type { FileSink } from '../events/event-sink.ts';
import { REFUSED_CALLS_MAX } from '../limits.ts';

/**
 * Ends a process that goes on calling what is refused, as a pool of connections does that tries until it is given one: its replay would never end, and
 * its report would fill the disk. The report says so.
 */
export function limitRefusals(sink: Pick<FileSink, 'listeners' | 'write'>, stopProcess: () => void): void {
  let refused = 0;
  sink.listeners.add(({ event }) => {
    if (event.type !== 'met' || event.answer !== 'refused') return;
    refused += 1;
    if (refused !== REFUSED_CALLS_MAX) return;
    const count = REFUSED_CALLS_MAX.toLocaleString('en');
    const text = `${count} calls were refused, and the program went on to make more: it was stopped there. The last was ${event.path}.`;
    sink.write({ type: 'note', text, unverified: false });
    stopProcess();
  });
}
