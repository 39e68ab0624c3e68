import { channel } from 'node:diagnostics_channel';
import { guarded } from '@reenact/instrumentation';
import { isInOwnContext } from '@reenact/trace-model';

/** All contexts of a thread share it, as they share every module of the platform. */
const arrivals = channel('reenact.context-arrived');

/**
 * Installs what records in this process; `install` gives how to undo it. In a context of `node:vm`, copies in such contexts that came before
 * are undone first, and so is this one as soon as another comes: what stays in the platform's modules would take the calls of the
 * next test file for its own, so that they were recorded in no run of that file and would go live in its replays.
 */
export function installedUntilNext(install: () => () => void): void {
  if (!isInOwnContext()) {
    install();
    return;
  }
  arrivals.publish(undefined);
  const undo = install();
  const giveWay = (): void => {
    arrivals.unsubscribe(giveWay);
    guarded('giving way to another context', undo, undefined);
  };
  arrivals.subscribe(giveWay);
}
