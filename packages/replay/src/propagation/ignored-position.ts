import type { EventSink } from '../events/event-sink.ts';
import type { PositionFault } from './position-token.ts';

const told = new Set<PositionFault>();
const noted = new WeakMap<EventSink, Set<PositionFault>>();

const descriptions: Readonly<Record<PositionFault, string>> = {
  malformed: 'A replay position that is malformed',
  forged: 'A replay position that its replay did not sign',
  expired: 'A replay position that had expired',
  foreign: 'A replay position of another replay',
};

/**
 * Tells that a position was ignored: on standard error once per process and kind, and in the report of the replay that goes
 * on here, where there is one. Never throws.
 */
export function tellIgnoredPosition(fault: PositionFault, sink: EventSink | undefined): void {
  const description = descriptions[fault];
  if (!told.has(fault)) {
    told.add(fault);
    process.stderr.write(
      `reenact: ${description} was ignored; what carried it is ordinary traffic. Further ones are not told.\n`,
    );
  }
  if (sink === undefined) return;
  const known = noted.get(sink) ?? new Set();
  noted.set(sink, known);
  if (known.has(fault)) return;
  known.add(fault);
  sink.write({
    type: 'note',
    text: `${description} reached a process of this replay and was ignored.`,
    unverified: false,
  });
}
