import type { Recording } from '@reenact/trace-model';
import { setUpLinkOf } from '@reenact/trace-model/reading';
import { ownCommand } from '../terminal/own-command.ts';

/**
 * What the programs of the runs had done before these began, one line for each run that says so, and where that is; of a program that had done
 * nothing yet, where what it did beside the run is. `isHeld`: whether the recording is to hold it, so that how much it holds is told.
 */
export function setUpLines(recording: Recording, { isHeld }: { readonly isHeld: boolean }): string[] {
  return recording.roots.flatMap(({ spanId, path }) => {
    const link = setUpLinkOf(recording, spanId);
    if (link === undefined) return [];
    if (link.count === 0)
      return [`beside: calls of the program while ${path} went on: ${ownCommand()} show ${link.traceId}`];
    const held = recording.setUps.get(spanId)?.crossings.filter(({ parentSpanId }) => parentSpanId === link.spanId);
    const calls = `${link.count} ${link.count === 1 ? 'call' : 'calls'} of the program before ${path}`;
    const here = isHeld || held !== undefined ? `, ${held?.length ?? 0} of them held here` : '';
    return [`set-up: ${calls}${here}: ${ownCommand()} show ${link.traceId}`];
  });
}
